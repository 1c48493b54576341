//! Loads and stores, exclusives, and atomic instructions.

use super::{At, Register, narrow, widen};
use ir::{BinaryOp, Expr, LocalId, Op, Status, UnaryOp, Width};
use source::Diagnostic;

/// The operand in brackets.
struct Address {
    /// What is accessed.
    addr: Expr,
    /// The base register and its new value, if the access moves it.
    update: Option<(LocalId, Expr)>,
}

/// An atomic instruction: what it does, and how it is ordered.
struct Atomic<'m> {
    operation: &'m str,
    acquire: bool,
    release: bool,
    size: Option<Width>,
}

/// Takes the size off a mnemonic: `B` and `H` access less than the register holds.
fn split_size(mnemonic: &str) -> (&str, Option<Width>) {
    if let Some(base) = mnemonic.strip_suffix('B') {
        (base, Some(Width::new(8)))
    } else if let Some(base) = mnemonic.strip_suffix('H') {
        (base, Some(Width::new(16)))
    } else {
        (mnemonic, None)
    }
}

/// What an atomic mnemonic stands for: `LDADDALB` is an addition with acquire and release, of a byte.
fn atomic(mnemonic: &str) -> Option<Atomic<'_>> {
    const OPERATIONS: &[&str] = &["ADD", "CLR", "EOR", "SET", "SMAX", "SMIN", "UMAX", "UMIN"];
    let (base, size) = split_size(mnemonic);
    let (stem, length) = if base.starts_with("SWP") || base.starts_with("CAS") {
        (base, 3)
    } else {
        let rest = base.strip_prefix("LD").or_else(|| base.strip_prefix("ST"))?;
        (base, 2 + OPERATIONS.iter().find(|operation| rest.starts_with(**operation))?.len())
    };
    let (operation, suffix) = stem.split_at(length);
    let (acquire, release) = match suffix {
        "" => (false, false),
        "A" => (true, false),
        "L" => (false, true),
        "AL" => (true, true),
        _ => return None,
    };
    Some(Atomic { operation, acquire, release, size })
}

impl At<'_, '_, '_, '_> {
    /// Translates an instruction that accesses memory; says whether it was one.
    pub(super) fn memory(&mut self, mnemonic: &str) -> Result<bool, Diagnostic> {
        let (base, size) = split_size(mnemonic);
        match base {
            "LDR" | "LDUR" => self.load(size, &[], false)?,
            "LDRSW" => self.load_signed(Width::INT)?,
            "LDRS" | "LDURS" => self.load_signed(size.unwrap_or(Width::INT))?,
            "LDAR" => self.load(size, &["A"], false)?,
            "LDAPR" | "LDAPUR" => self.load(size, &["Q"], false)?,
            "LDXR" => self.load(size, &["X"], true)?,
            "LDAXR" => self.load(size, &["X", "A"], true)?,
            "STR" | "STUR" => self.store(size, &[])?,
            "STLR" | "STLUR" => self.store(size, &["L"])?,
            "STXR" => self.store_exclusive(size, &["X"])?,
            "STLXR" => self.store_exclusive(size, &["X", "L"])?,
            "LDP" if size.is_none() => self.load_pair()?,
            "STP" if size.is_none() => self.store_pair()?,
            _ => match atomic(mnemonic) {
                Some(atomic) if atomic.operation == "CAS" => self.compare_and_swap(&atomic)?,
                Some(atomic) => self.read_modify_write(&atomic)?,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Reads `,[X1,#4]` in one of its forms.
    fn address(&mut self) -> Result<Address, Diagnostic> {
        self.separator(false)?;
        self.sign("[")?;
        let base = self.base()?;
        let plain = Expr::Local(base);
        if self.eat_sign("]") {
            if !self.eat_sign(",") {
                return Ok(Address { addr: plain, update: None });
            }
            let moved = offset_by(plain.clone(), self.immediate()?);
            return Ok(Address { addr: plain, update: Some((base, moved)) });
        }
        self.sign(",")?;
        if self.immediate_ahead() {
            let addr = offset_by(plain, self.number()?);
            self.sign("]")?;
            let update = self.eat_sign("!").then(|| (base, addr.clone()));
            return Ok(Address { addr, update });
        }
        let Some(index) = self.try_gpr() else {
            return Err(self.cursor.expected("a register or a number"));
        };
        let index = self.extended(index)?;
        self.sign("]")?;
        Ok(Address { addr: plain.binary(BinaryOp::Add, index), update: None })
    }

    /// The value of an index or last operand, 64 bits wide, with what may stand behind it: `,SXTW #2` or `,LSL #2`.
    pub(super) fn extended(&mut self, register: Register) -> Result<Expr, Diagnostic> {
        let mut value = self.value(register);
        let mut signed = false;
        let mut shift = 0;
        if self.eat_sign(",") {
            let (name, span) = self.cursor.name("LSL, SXTW or UXTW")?;
            let extension = name.to_ascii_uppercase();
            self.line.text.push_str(&extension);
            match &*extension {
                "LSL" | "UXTX" | "SXTX" | "UXTW" => {}
                "SXTW" => signed = true,
                _ => {
                    let message = format!("`{name}` is not supported here");
                    return Err(self.cursor.error(span, message).help("write LSL, SXTW or UXTW"));
                }
            }
            if self.immediate_ahead() {
                shift = self.number()?;
            }
        }
        if register.width != Width::WORD {
            let extend = if signed { UnaryOp::SignExtend(Width::WORD) } else { UnaryOp::ZeroExtend(Width::WORD) };
            value = value.unary(extend);
        }
        Ok(if shift == 0 { value } else { value.binary(BinaryOp::Shl, Expr::constant(shift, Width::WORD)) })
    }

    fn update(&mut self, address: Address) {
        if let Some((base, value)) = address.update {
            self.body.assign(base, value);
        }
    }

    /// Loads into a new temporary of this width.
    fn load_into_temporary(&mut self, width: Width, addr: Expr, tags: &[&str], reserve: bool) -> Expr {
        let dst = self.body.temporary(width);
        let tags = self.build.tags(tags);
        self.body.emit(Op::Load { dst, addr, tags, reserve });
        Expr::Local(dst)
    }

    fn load(&mut self, size: Option<Width>, tags: &[&str], reserve: bool) -> Result<(), Diagnostic> {
        let target = self.gpr(true)?;
        let address = self.address()?;
        let width = size.unwrap_or(target.width);
        let value = self.load_into_temporary(width, address.addr.clone(), tags, reserve);
        self.update(address);
        self.set(target, widen(value, width, target.width));
        Ok(())
    }

    fn load_signed(&mut self, width: Width) -> Result<(), Diagnostic> {
        let target = self.gpr(true)?;
        let address = self.address()?;
        let value = self.load_into_temporary(width, address.addr.clone(), &[], false);
        self.update(address);
        self.set(target, value.unary(UnaryOp::SignExtend(target.width)));
        Ok(())
    }

    fn store(&mut self, size: Option<Width>, tags: &[&str]) -> Result<(), Diagnostic> {
        let source = self.gpr(true)?;
        let address = self.address()?;
        let value = narrow(self.value(source), source.width, size.unwrap_or(source.width));
        let tags = self.build.tags(tags);
        self.body.emit(Op::Store { addr: address.addr.clone(), value, tags });
        self.update(address);
        Ok(())
    }

    fn store_exclusive(&mut self, size: Option<Width>, tags: &[&str]) -> Result<(), Diagnostic> {
        let status = self.gpr(true)?;
        let source = self.gpr(false)?;
        let address = self.address()?;
        let value = narrow(self.value(source), source.width, size.unwrap_or(source.width));
        let tags = self.build.tags(tags);
        let success = self.body.temporary(Width::BOOL);
        self.body.emit(Op::StoreConditional { success, addr: address.addr, value, tags, status: Status::Nothing });
        let failed = Expr::Local(success).unary(UnaryOp::Not);
        self.set(status, failed.unary(UnaryOp::ZeroExtend(status.width)));
        Ok(())
    }

    /// Two loads; both addresses are computed before either register changes.
    fn load_pair(&mut self) -> Result<(), Diagnostic> {
        let (first, second) = (self.gpr(true)?, self.gpr(false)?);
        let address = self.address()?;
        let far = offset_by(address.addr.clone(), i64::from(first.width.bits()) / 8);
        let low = self.load_into_temporary(first.width, address.addr.clone(), &[], false);
        let high = self.load_into_temporary(first.width, far, &[], false);
        self.update(address);
        self.set(first, low);
        self.set(second, high);
        Ok(())
    }

    fn store_pair(&mut self) -> Result<(), Diagnostic> {
        let (first, second) = (self.gpr(true)?, self.gpr(false)?);
        let address = self.address()?;
        let far = offset_by(address.addr.clone(), i64::from(first.width.bits()) / 8);
        for (addr, register) in [(address.addr.clone(), first), (far, second)] {
            let (value, tags) = (self.value(register), self.build.tags(&[]));
            self.body.emit(Op::Store { addr, value, tags });
        }
        self.update(address);
        Ok(())
    }

    /// `LDADD Ws,Wt,[Xn]`, `SWP Ws,Wt,[Xn]`, and `STADD Ws,[Xn]`, which forgets what it has read.
    ///
    /// A read whose value nobody gets is no acquire, and no load to DMB LD.
    fn read_modify_write(&mut self, atomic: &Atomic<'_>) -> Result<(), Diagnostic> {
        let operand = self.gpr(true)?;
        let forgets = atomic.operation.starts_with("ST");
        let target = if forgets { Register { local: None, width: operand.width } } else { self.gpr(false)? };
        let address = self.address()?;
        let width = atomic.size.unwrap_or(operand.width);
        let operand = narrow(self.value(operand), operand.width, width);
        let dst = self.body.temporary(width);
        let found = || Expr::Local(dst);
        let extreme = |less: BinaryOp, least: bool| {
            let smaller = found().binary(less, operand.clone());
            let (kept, other) = if least { (found(), operand.clone()) } else { (operand.clone(), found()) };
            Expr::Select(Box::new(smaller), Box::new(kept), Box::new(other))
        };
        let value = match &atomic.operation[if atomic.operation == "SWP" { 0 } else { 2 }..] {
            "ADD" => found().binary(BinaryOp::Add, operand),
            "CLR" => found().binary(BinaryOp::And, operand.unary(UnaryOp::Not)),
            "EOR" => found().binary(BinaryOp::Xor, operand),
            "SET" => found().binary(BinaryOp::Or, operand),
            "SMAX" => extreme(BinaryOp::SLt, false),
            "SMIN" => extreme(BinaryOp::SLt, true),
            "UMAX" => extreme(BinaryOp::ULt, false),
            "UMIN" => extreme(BinaryOp::ULt, true),
            _ => operand,
        };
        let read_tags = match (target.local, atomic.acquire) {
            (None, _) => self.build.tags(&["NoRet"]),
            (Some(_), true) => self.build.tags(&["A"]),
            (Some(_), false) => self.build.tags(&[]),
        };
        let write_tags = self.build.tags(if atomic.release { &["L"] } else { &[] });
        self.body.emit(Op::Rmw { dst, addr: address.addr, when: None, value, read_tags, write_tags });
        self.set(target, widen(found(), width, target.width));
        Ok(())
    }

    /// `CAS Ws,Wt,[Xn]`: where memory holds `Ws` it becomes `Wt`; `Ws` gets what was there.
    fn compare_and_swap(&mut self, atomic: &Atomic<'_>) -> Result<(), Diagnostic> {
        let (compared, new) = (self.gpr(true)?, self.gpr(false)?);
        let address = self.address()?;
        let width = atomic.size.unwrap_or(new.width);
        let dst = self.body.temporary(width);
        let expected = narrow(self.value(compared), compared.width, width);
        let value = narrow(self.value(new), new.width, width);
        let read_tags = self.build.tags(if atomic.acquire { &["A"] } else { &[] });
        let write_tags = self.build.tags(if atomic.release { &["L"] } else { &[] });
        let when = Some(Expr::Local(dst).binary(BinaryOp::Eq, expected));
        self.body.emit(Op::Rmw { dst, addr: address.addr, when, value, read_tags, write_tags });
        self.set(compared, widen(Expr::Local(dst), width, compared.width));
        Ok(())
    }
}

fn offset_by(addr: Expr, offset: i64) -> Expr {
    if offset == 0 { addr } else { addr.binary(BinaryOp::Add, Expr::constant(offset, Width::WORD)) }
}
