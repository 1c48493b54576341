//! The options of engines on the command line, made from what the engines declare.

use crate::args::Cli;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};
use engine::{Declared, Values};
use session::Engines;
use std::ffi::OsStr;

/// All options, each once, with the engines that have it.
pub fn declared(engines: Engines) -> Vec<(Declared, Vec<&'static str>)> {
    let mut all: Vec<(Declared, Vec<&'static str>)> = Vec::new();
    for engine in engines {
        for option in engine.options() {
            match all.iter_mut().find(|(known, _)| known.name == option.name) {
                Some((_, owners)) => owners.push(engine.name()),
                None => all.push((option, vec![engine.name()])),
            }
        }
    }
    all
}

/// The whole command line, with the options that these engines declare.
pub fn command(engines: Engines) -> Command {
    let command = Cli::command();
    let runs = |sub: &&Command| sub.get_arguments().any(|arg| arg.get_id() == "engine");
    let names: Vec<String> = command.get_subcommands().filter(runs).map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |sub| {
            let sub = sub.mut_arg("engine", |arg| arg.value_parser(Named::Engines(engines)).hide_possible_values(true));
            let sub = sub.mut_arg("model", |arg| arg.value_parser(Named::Models).hide_possible_values(true));
            sub.args(declared(engines).into_iter().map(|(option, owners)| argument(option, &owners)))
        })
    })
}

fn engine_names(engines: Engines) -> Vec<(String, String)> {
    let strategies = session::STRATEGIES.iter().map(|strategy| (strategy.name, strategy.about));
    let engines = engines.iter().map(|engine| (engine.name(), engine.about()));
    strategies.chain(engines).map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
}

fn model_names() -> Vec<(String, String)> {
    let all = ("all".to_owned(), "Every model that comes with Fencepost".to_owned());
    session::models().into_iter().map(|model| (model.name, model.title)).chain([all]).collect()
}

/// Takes any text: who runs engines and reads models knows best what there is. Shells are told these names, which nobody looks
/// up before: to know those of the models is to read all of them.
#[derive(Clone)]
enum Named {
    Engines(Engines),
    Models,
}

impl Named {
    fn names(&self) -> Vec<(String, String)> {
        match self {
            Named::Engines(engines) => engine_names(engines),
            Named::Models => model_names(),
        }
    }
}

impl TypedValueParser for Named {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names().into_iter().map(|(name, about)| PossibleValue::new(name).help(about))))
    }
}

fn argument(option: Declared, owners: &[&str]) -> Arg {
    let arg = Arg::new(option.name)
        .long(option.name)
        .value_name(option.value)
        .help(format!("{} ({})", option.help, owners.join(", ")))
        .help_heading("Engines");
    match option.values {
        Values::Number(from, to) => arg.value_parser(clap::value_parser!(u32).range(i64::from(from)..=i64::from(to))),
        Values::Choice(choices) => {
            let value = |choice: engine::Choice| PossibleValue::new(choice.name).help(choice.help);
            arg.value_parser(PossibleValuesParser::new(choices.into_iter().map(value)))
        }
    }
}

/// Reads the command line.
///
/// # Errors
/// It makes no sense, or asks for help.
pub fn parse(engines: Engines, matches: &ArgMatches) -> Result<Cli, clap::Error> {
    let mut cli = Cli::from_arg_matches(matches)?;
    if let (Some(running), Some((_, given))) = (cli.command.running(), matches.subcommand()) {
        running.engines = engines;
        for (option, _) in declared(engines) {
            if given.value_source(option.name) == Some(ValueSource::CommandLine) {
                let values = given.get_raw(option.name).into_iter().flatten();
                let value = |value: &OsStr| (option.name.to_owned(), value.to_string_lossy().into_owned());
                running.own.extend(values.map(value));
            }
        }
    }
    Ok(cli)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session::{ENGINES, Request};

    #[test]
    fn the_command_line_is_sound() {
        command(ENGINES).debug_assert();
    }

    #[test]
    fn engines_that_share_an_option_mean_the_same() {
        let all = declared(ENGINES);
        for engine in ENGINES {
            for option in engine.options() {
                assert!(all.iter().any(|(known, _)| *known == option), "{}", option.name);
            }
        }
    }

    #[test]
    fn values_reach_the_engine_s_options() {
        let line = ["fencepost", "check", "a.c", "--engine", "lazy", "--rounds", "3", "--queues", "explicit"];
        let matches = command(ENGINES).try_get_matches_from(line).expect("a good line");
        let mut cli = parse(ENGINES, &matches).expect("a good line");
        let running = cli.command.running().expect("check runs engines");
        let options = running.request(None, None).expect("lazy has these options").options;
        let same = Request::of("lazy", &[("rounds", "3"), ("queues", "explicit")]).expect("lazy has these options");
        assert_eq!(options, same.options);
        assert_ne!(options, engine::Options::default());
    }

    #[test]
    fn an_option_that_the_engine_does_not_have_is_an_error() {
        let line = ["fencepost", "check", "a.c", "--engine", "coherence", "--rounds", "3"];
        let matches = command(ENGINES).try_get_matches_from(line).expect("the option exists");
        let mut cli = parse(ENGINES, &matches).expect("the option exists");
        let running = cli.command.running().expect("check runs engines");
        assert!(running.request(None, None).is_err());
        assert!(running.request(None, Some("lazy")).is_ok());
    }
}
