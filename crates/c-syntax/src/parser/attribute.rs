//! Attributes: which are known, and what they mean.

use super::Parser;
use crate::ast::{Attribute, Meaning, Range};
use crate::error::{Error, Parsed};
use crate::token::{Keyword, Kind, Punct};

/// Attributes that change nothing that can be observed in the program: hints for the optimiser and the linker, promises
/// of the programmer, and what only decides about warnings, instrumentation or calling conventions.
const HARMLESS: &[&str] = &[
    // Promises and hints about functions.
    "noreturn",
    "_Noreturn",
    "pure",
    "const",
    "malloc",
    "alloc_size",
    "alloc_align",
    "assume_aligned",
    "nonnull",
    "returns_nonnull",
    "returns_twice",
    "nothrow",
    "leaf",
    "cold",
    "hot",
    "flatten",
    "noinline",
    "always_inline",
    "gnu_inline",
    "noclone",
    "no_icf",
    "noipa",
    "artificial",
    "optimize",
    "optnone",
    "target",
    "target_clones",
    "access",
    "sentinel",
    "nonstring",
    "designated_init",
    "may_alias",
    "unsequenced",
    "reproducible",
    "assume",
    "likely",
    "unlikely",
    "fallthrough",
    "musttail",
    "simd",
    "tainted_args",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "expected_throw",
    "null_terminated_string_arg",
    "counted_by",
    "noescape",
    "convergent",
    "hot_loop",
    // Warnings.
    "unused",
    "used",
    "maybe_unused",
    "deprecated",
    "unavailable",
    "nodiscard",
    "warn_unused_result",
    "format",
    "format_arg",
    "error",
    "warning",
    "diagnose_if",
    "enum_extensibility",
    "flag_enum",
    "warn_if_not_aligned",
    "availability",
    "internal_linkage",
    "speculative_load_hardening",
    "analyzer_noreturn",
    "ownership_returns",
    "ownership_takes",
    "ownership_holds",
    "strict_flex_array",
    // Where things are put.
    "section",
    "visibility",
    "type_visibility",
    "externally_visible",
    "retain",
    "no_reorder",
    "common",
    "nocommon",
    "tls_model",
    "symver",
    "copy",
    "noplt",
    "model",
    "gcc_struct",
    // Instrumentation and code generation.
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_stack_protector",
    "stack_protect",
    "no_split_stack",
    "no_stack_limit",
    "stack_protector_strong",
    "patchable_function_entry",
    "no_address_safety_analysis",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_thread",
    "no_sanitize_memory",
    "no_sanitize_undefined",
    "no_sanitize_coverage",
    "disable_sanitizer_instrumentation",
    "nocf_check",
    "cf_check",
    "no_caller_saved_registers",
    "zero_call_used_regs",
    "uninitialized",
    "no_builtin",
    "disable_tail_calls",
    "not_tail_called",
    "minsize",
    "force_align_arg_pointer",
    "xray_always_instrument",
    "xray_never_instrument",
    "btf_type_tag",
    "btf_decl_tag",
    "preserve_access_index",
    // Calling conventions.
    "cdecl",
    "stdcall",
    "fastcall",
    "thiscall",
    "regparm",
    "sseregparm",
    "ms_abi",
    "sysv_abi",
    "pcs",
    "aarch64_vector_pcs",
    "preserve_most",
    "preserve_all",
    // Annotations for other tools: locks, sparse.
    "capability",
    "lockable",
    "scoped_lockable",
    "guarded_by",
    "pt_guarded_by",
    "guarded_var",
    "pt_guarded_var",
    "acquired_after",
    "acquired_before",
    "acquire_capability",
    "release_capability",
    "requires_capability",
    "try_acquire_capability",
    "assert_capability",
    "exclusive_lock_function",
    "shared_lock_function",
    "unlock_function",
    "exclusive_locks_required",
    "shared_locks_required",
    "locks_excluded",
    "lock_returned",
    "no_thread_safety_analysis",
    "noderef",
    "address_space_ignored",
    "bitwise",
    "context",
    "force",
    "safe",
    "nocast",
    "annotate",
];

impl Parser<'_> {
    /// Whether attributes in C23's notation follow.
    pub(super) fn begins_attributes(&self) -> bool {
        self.is(Punct::LeftBracket) && self.nth_is(1, Punct::LeftBracket)
    }

    /// Takes all attributes that stand here, in either notation.
    pub(super) fn attributes(&mut self, out: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            if self.eat_keyword(Keyword::Attribute) {
                self.expect(Punct::LeftParen, "`__attribute__`")?;
                self.expect(Punct::LeftParen, "`__attribute__(`")?;
                self.attribute_list(Punct::RightParen, out)?;
                self.expect(Punct::RightParen, "the attributes")?;
                self.expect(Punct::RightParen, "the attributes")?;
            } else if self.begins_attributes() {
                self.bump();
                self.bump();
                self.attribute_list(Punct::RightBracket, out)?;
                self.expect(Punct::RightBracket, "the attributes")?;
                self.expect(Punct::RightBracket, "the attributes")?;
            } else {
                return Ok(());
            }
        }
    }

    fn attribute_list(&mut self, close: Punct, out: &mut Vec<Attribute>) -> Parsed<()> {
        while !self.is(close) {
            if self.eat(Punct::Comma) {
                continue;
            }
            out.push(self.attribute()?);
            if !self.is(close) && !self.is(Punct::Comma) {
                return Err(self.expected(&format!("`,` or `{}`", close.text())));
            }
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.start();
        let mut name = self.attribute_name()?;
        let mut known_space = true;
        while self.is(Punct::Colon) && self.nth_is(1, Punct::Colon) {
            known_space = matches!(&*name, "gnu" | "clang");
            self.bump();
            self.bump();
            name = self.attribute_name()?;
        }
        let meaning = if known_space { self.attribute_meaning(&name)? } else { Meaning::Unknown };
        if self.is(Punct::LeftParen) {
            self.skip_group()?;
        }
        Ok(Attribute { name, meaning, span: self.since(start) })
    }

    fn attribute_name(&mut self) -> Parsed<String> {
        match self.kind() {
            Kind::Identifier | Kind::Keyword(_) => {
                let token = self.bump();
                Ok(trimmed(self.text_of(token)).to_owned())
            }
            _ => Err(self.expected("the name of an attribute")),
        }
    }

    /// What an attribute means. Its arguments are taken if they matter.
    fn attribute_meaning(&mut self, name: &str) -> Parsed<Meaning> {
        let span = self.since(self.start());
        Ok(match name {
            "packed" => Meaning::Packed,
            "weak" => Meaning::Weak,
            "aligned" => Meaning::Aligned(self.optional_argument(Self::alignment)?),
            "constructor" => Meaning::Constructor(self.optional_argument(Self::conditional)?.map(Box::new)),
            "destructor" => Meaning::Destructor(self.optional_argument(Self::conditional)?.map(Box::new)),
            "cleanup" => {
                let function = self.optional_argument(|parser| parser.identifier("the name of a function"))?;
                Meaning::Cleanup(function.ok_or_else(|| no_argument(span, name))?)
            }
            "mode" => {
                let mode = self.optional_argument(|parser| parser.identifier("the name of a mode"))?;
                Meaning::Mode(trimmed(&mode.ok_or_else(|| no_argument(span, name))?.text).to_owned())
            }
            "alias" => {
                let target = self.optional_argument(|parser| parser.strings("the name of a function in quotes"))?;
                Meaning::Alias(target.ok_or_else(|| no_argument(span, name))?.text())
            }
            "weakref" => match self.optional_argument(|parser| parser.strings("the name of a function in quotes"))? {
                Some(target) => Meaning::Alias(target.text()),
                None => Meaning::Weak,
            },
            _ if HARMLESS.contains(&name) => Meaning::Harmless,
            _ => Meaning::Unknown,
        })
    }

    /// The one argument of an attribute, if there are parentheses with something in them.
    fn optional_argument<T>(&mut self, argument: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<Option<T>> {
        if !self.eat(Punct::LeftParen) {
            return Ok(None);
        }
        if self.eat(Punct::RightParen) {
            return Ok(None);
        }
        let value = argument(self)?;
        self.expect(Punct::RightParen, "the argument of the attribute")?;
        Ok(Some(value))
    }
}

fn no_argument(span: Range, name: &str) -> Error {
    Error::new(span, format!("the attribute `{name}` needs an argument")).help("give it one in parentheses")
}

/// A name without the underscores that GNU allows around it.
fn trimmed(name: &str) -> &str {
    let inner = name.strip_prefix("__").and_then(|inner| inner.strip_suffix("__"));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(name)
}
