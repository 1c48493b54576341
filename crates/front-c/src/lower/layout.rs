//! What attributes, `_Alignas` and `#pragma pack` say about the layout of structures.

use super::Lowering;
use crate::types::Layout;
use c_syntax::ast::{Alignment, Attribute, Declarator, Meaning, RecordSpecifier, Specifiers};
use source::Diagnostic;

/// What `aligned` without a number means: as much as any scalar needs.
const LARGEST: u64 = 16;

impl Lowering {
    /// The layout of a structure or union as a whole.
    pub fn record_layout(&mut self, record: &RecordSpecifier) -> Result<Layout, Diagnostic> {
        let layout = self.attributed(&record.attributes)?;
        Ok(Layout { limit: record.pack, ..layout })
    }

    /// The layout of a member.
    pub fn member_layout(
        &mut self,
        specifiers: &Specifiers,
        declarator: Option<&Declarator>,
    ) -> Result<Layout, Diagnostic> {
        let mut layout = self.attributed(&specifiers.attributes)?;
        if let Some(declarator) = declarator {
            let own = self.attributed(&declarator.attributes)?;
            layout.packed |= own.packed;
            layout.aligned = layout.aligned.max(own.aligned);
        }
        for alignment in &specifiers.alignment {
            let bytes = self.alignment(&alignment.node)?;
            layout.aligned = layout.aligned.max(Some(bytes));
        }
        Ok(layout)
    }

    fn attributed(&mut self, attributes: &[Attribute]) -> Result<Layout, Diagnostic> {
        let mut layout = Layout::default();
        for attribute in attributes {
            match &attribute.meaning {
                Meaning::Packed => layout.packed = true,
                Meaning::Aligned(None) => layout.aligned = layout.aligned.max(Some(LARGEST)),
                Meaning::Aligned(Some(alignment)) => {
                    let bytes = self.alignment(alignment)?;
                    layout.aligned = layout.aligned.max(Some(bytes));
                }
                Meaning::Mode(_)
                | Meaning::Constructor(_)
                | Meaning::Destructor(_)
                | Meaning::Cleanup(_)
                | Meaning::Weak
                | Meaning::Alias(_)
                | Meaning::Harmless
                | Meaning::Unknown => {}
            }
        }
        Ok(layout)
    }

    fn alignment(&mut self, alignment: &Alignment) -> Result<u64, Diagnostic> {
        match alignment {
            Alignment::Type(name) => {
                let ty = self.type_name(name)?;
                self.types.align(&ty).map_err(|why| self.error(self.at(name.span), why))
            }
            Alignment::Expression(e) => {
                let bytes = self.const_value(e).and_then(|bytes| u64::try_from(bytes).ok());
                bytes.filter(|bytes| *bytes == 0 || bytes.is_power_of_two()).ok_or_else(|| {
                    let complaint = self.error(self.at(e.span), "this is no alignment");
                    complaint.help("use a constant power of two")
                })
            }
        }
    }
}
