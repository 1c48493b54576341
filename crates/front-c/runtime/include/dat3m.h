/* What programs for Dartagnan include. Marks of loops that only wait mean nothing: such loops are recognised. */
#ifndef FENCEPOST_DAT3M_H
#define FENCEPOST_DAT3M_H

int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void __VERIFIER_loop_bound(int);
unsigned int __VERIFIER_tid(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);

#define await_while(cond) while (cond)

#endif
