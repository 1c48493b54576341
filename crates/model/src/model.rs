//! A loaded model.

use source::{Diagnostic, SourceFile, Span};

use crate::node::{Axiom, Base, BaseSet, Node, NodeId, RecGroup, Requirement, Role, Scope, Sort};

/// A memory model.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name for `--model`: the file's name without `.cat`.
    pub name: String,
    /// The string at the top of the file, such as `TSO`.
    pub title: String,
    /// What the head of the file declares.
    pub head: Head,
    /// All expressions, children first.
    pub nodes: Vec<Node>,
    /// The sort of each node.
    pub sorts: Vec<Sort>,
    /// The recursive definitions.
    pub groups: Vec<RecGroup>,
    /// The axioms in the order of the file.
    pub axioms: Vec<Axiom>,
    /// For display: the first name that each named node was given with `let`.
    pub names: Vec<Option<String>>,
    /// Names without a meaning that are taken for tags of events.
    pub assumed: Vec<AssumedTag>,
    /// What in the text is not taken as it stands.
    pub warnings: Vec<Diagnostic>,
    /// Whether this is a user's file, not a model that comes along.
    pub foreign: bool,
}

/// A name that a model uses and nothing defines: it is taken for the set of events that carry a tag of that name.
#[derive(Debug, Clone)]
pub struct AssumedTag {
    /// The name.
    pub name: String,
    /// The file it stands in.
    pub file: SourceFile,
    /// Where.
    pub span: Span,
}

/// What the comment at the top of a model file declares with lines `@key value…`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// `@about`: one line for lists.
    pub about: String,
    /// `@also`: other names that people type.
    pub also: Vec<String>,
    /// `@buffers`: the operational reading, if there is one.
    pub buffers: Option<Buffers>,
    /// `@drain`: tags of fences and accesses at which the thread's buffer must be empty.
    pub drain: Vec<String>,
    /// `@order-writes`: tags of fences that writes do not pass in the buffers.
    pub order_writes: Vec<String>,
    /// `@wait`: tags of fences behind which reads wait until the writes before the fence have reached memory.
    pub wait: Vec<String>,
    /// `@mixed-size`: the axioms in which an access to several cells that is single-copy atomic is one event. A model without
    /// says nothing about accesses of different sizes to the same bytes.
    pub mixed_size: Vec<String>,
    /// `@machine`: it is the model of a machine that programs run on, under which a C program is checked if none is named.
    pub machine: bool,
    /// `@note`: what is to be said beside each of its verdicts.
    pub note: String,
    /// `@weaker-than`: models all of whose executions this model allows too, the weakest first.
    pub weaker_than: Vec<String>,
    /// `@relax WHOLE PART`: relations of the model, each with a part of it that costs less to decide.
    pub relax: Vec<(String, String)>,
    /// `@architectures`: whose programs this model is about; all if empty.
    pub architectures: Vec<String>,
    /// `@compile`: how atomics of C are compiled for this model.
    pub compile: Vec<CompileRule>,
    /// `@compile+OPTION`: rules that come before the others where the option is chosen, as in `--model aarch64+lse`.
    pub options: Vec<(String, CompileRule)>,
    /// `@tags`: tags that the file uses beyond the [`crate::KNOWN_TAGS`].
    pub tags: Vec<String>,
    /// `@library`: the file is there to be included and is no model by itself.
    pub library: bool,
}

impl Head {
    /// The rule for an access or fence of this kind (`R`, `W`, `RMW`, `CAS`, `F`) with these tags: the first that fits. A
    /// compare-and-swap is a read-modify-write like others in a model without rules for it.
    pub fn compile_rule(&self, kind: &str, has_tag: impl Fn(&str) -> bool) -> Option<&CompileRule> {
        let separate = self.compile.iter().any(|rule| rule.kind == kind);
        let kind = if kind == "CAS" && !separate { "RMW" } else { kind };
        self.compile.iter().find(|rule| rule.kind == kind && (rule.tag == "*" || has_tag(&rule.tag)))
    }
}

/// The store buffers of an operational reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffers {
    /// `none`: every write reaches memory at once (SC).
    None,
    /// `thread`: one queue per thread (TSO).
    Thread,
    /// `location`: one queue per thread and location (PSO).
    Location,
}

/// `@compile KIND TAG -> step ; step ; …`, where a step is `access`, `access` with the tags it gets (`access R-TAGS | W-TAGS`
/// where those of the read and of the write differ), `ctrl`, a fence's tag, or `nothing`. The first rule that fits counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileRule {
    /// `R`, `W`, `RMW`, `CAS` or `F`.
    pub kind: String,
    /// The tag that the access or fence carries, `*` for any.
    pub tag: String,
    /// What becomes of it.
    pub steps: Vec<CompileStep>,
}

/// A step of a [`CompileRule`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileStep {
    /// The access itself, its language-level tags replaced by these.
    Access {
        /// The tags of its read.
        read: Vec<String>,
        /// The tags of its write.
        write: Vec<String>,
    },
    /// A fence with this tag.
    Fence(String),
    /// A branch that depends on the value just read and goes to the same place either way.
    Ctrl,
}

impl Model {
    /// Whether there are executions, those with a data race, that leave the whole program undefined.
    pub fn undefines(&self) -> bool {
        self.axioms.iter().any(|axiom| axiom.role == Role::Undefines)
    }

    /// Whether a thread's writes to two locations may take effect in another order than that of the program.
    pub fn reorders_writes(&self) -> bool {
        !matches!(self.head.buffers, Some(Buffers::None | Buffers::Thread))
    }

    /// Whether no read sees a write that comes, perhaps over other threads, after the read in program order. Then what writes say was
    /// read is true of earlier writes.
    pub fn forbids_load_buffering(&self) -> bool {
        let whole = |axiom: &Axiom| {
            let members = self.union_members(axiom.node);
            let has = |base: Base| members.iter().any(|&member| *self.node(member) == Node::Base(base));
            let asked = axiom.role == Role::Forbids && axiom.requirement == Requirement::Acyclic && !axiom.negated;
            asked && has(Base::Po) && has(Base::Rf(Scope::Any))
        };
        self.head.buffers.is_some() || self.axioms.iter().any(whole)
    }

    /// Whether the model mentions this tag.
    pub fn mentions(&self, tag: &str) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Set(BaseSet::Tag(known)) if known == tag))
    }

    /// The model with the rules of compilation that an option chooses; nothing if it has no such option.
    #[must_use]
    pub fn with_option(mut self, option: &str) -> Option<Model> {
        let chosen = self.head.options.iter().filter(|(name, _)| name == option);
        let rules: Vec<CompileRule> = chosen.map(|(_, rule)| rule.clone()).collect();
        if rules.is_empty() {
            return None;
        }
        self.head.compile.splice(0..0, rules);
        self.name = format!("{}+{option}", self.name);
        self.title = format!("{}+{option}", self.title);
        Some(self)
    }

    /// The same model with parts of some relations in their places (`@relax`): it allows all that this one allows and perhaps more, and
    /// costs less to decide. Nothing if the head names none. That they are parts is held by tests for the models that come along; a
    /// user's file is taken as it stands.
    pub fn relaxed(&self) -> Option<Model> {
        if self.foreign || self.head.relax.is_empty() {
            return None;
        }
        let mut model = self.clone();
        for (whole, part) in &self.head.relax {
            let (whole, part) = (self.named(whole)?, self.named(part)?);
            // Children come before parents, so a part that was defined first has nothing of the whole in it.
            if part >= whole {
                return None;
            }
            model.nodes[whole.index()] = self.node(part).clone();
        }
        model.head.relax.clear();
        Some(model)
    }

    /// The node with this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
