//! `fencepost why`.

use crate::args::{Why, WhyFormat};
use crate::check::{draw, text_options};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output};
use anyhow::Result;
use engine::Verdict;
use fencepost::case::{model_name, steps};
use report::json::Trouble;
use report::{Explanation, Graph, Refuted};
use session::Failure;

/// Explains why an outcome is forbidden.
pub fn run(args: &Why) -> Result<u8> {
    args.running.whole()?;
    let (file, reading) = input::read_program(args.file.as_deref(), &args.c)?;
    let program = session::load(&file, &reading)?;
    let models = input::models(std::slice::from_ref(&args.model))?;
    let [model] = &models[..] else {
        return Err(Failure::Usage("`why` is about one model at a time".to_owned()).into());
    };
    let watch = Watch::new(&args.running, true);
    let request = args.running.request(program.condition.is_none().then(|| args.c.property()), None)?;
    let reason = match session::why(&program, model, &request, &watch)? {
        Ok(reason) => reason,
        Err(verdict) => {
            let file = file.name();
            let (words, code) = match &verdict {
                Verdict::Unsafe(_) => (
                    format!(
                        "nothing to explain: {} allows it\nhelp: see it with `fencepost check {file} --model {}`",
                        model.title, args.model
                    ),
                    UNSAFE,
                ),
                Verdict::Safe(_) | Verdict::Unknown(_) => (format!("no answer: {verdict}"), UNKNOWN),
            };
            output::say(&words);
            if args.format == WhyFormat::Json {
                let (reason, message) = ("refused", words.lines().next().unwrap_or_default().to_owned());
                let (file, help, line, column) = (Some(program.source.name().to_owned()), None, None, None);
                let trouble = Trouble { reason, message, help, file, line, column, exit_code: code, rendered: words };
                output::complain_as_json(&trouble, args.output.as_deref());
            }
            return Ok(code);
        }
    };
    let mut refuted = Vec::new();
    let ran = reason.as_ref().map_or(&program, |reason| &reason.program);
    if let Some(reason) = &reason {
        let structure = session::structure(&reason.program, &reason.execution)?;
        let mut graph = Graph::new(&reason.program, &reason.execution, &structure);
        let axiom = &model.axioms[reason.explanation.axiom];
        let steps = steps(&graph, &reason.explanation.steps);
        graph.highlight(&steps);
        let requirement = model.axiom_text(reason.explanation.axiom);
        refuted.push(Refuted { graph, explanation: Explanation { axiom: axiom.name.clone(), requirement, steps } });
    }
    let why = report::Why { program: ran, model: model_name(model), refuted };
    let text = match args.format {
        WhyFormat::Text => report::text::why(&why, text_options(args.output.as_deref(), false)),
        WhyFormat::Json => report::json::why(&why),
        WhyFormat::Html => report::html::why(&why),
        WhyFormat::Dot => draw(why.refuted.first().map(|r| &r.graph), &program.name, report::dot::render)?,
        WhyFormat::Svg => draw(why.refuted.first().map(|r| &r.graph), &program.name, report::svg::render)?,
    };
    output::write(&text, args.output.as_deref())?;
    Ok(SAFE)
}
