//! The options of engines on the command line, made from what the engines declare.

use crate::args::Cli;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};
use engine::{Declared, Values};

/// All options, each once, with the engines that have it.
pub fn declared() -> Vec<(&'static Declared, Vec<&'static str>)> {
    let mut all: Vec<(&'static Declared, Vec<&'static str>)> = Vec::new();
    for engine in session::ENGINES {
        for option in engine.options() {
            match all.iter_mut().find(|(known, _)| known.name == option.name) {
                Some((_, engines)) => engines.push(engine.name()),
                None => all.push((option, vec![engine.name()])),
            }
        }
    }
    all
}

/// The whole command line.
pub fn command() -> Command {
    let command = Cli::command();
    let runs = |sub: &&Command| sub.get_arguments().any(|arg| arg.get_id() == "engine");
    let names: Vec<String> = command.get_subcommands().filter(runs).map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |sub| {
            sub.args(declared().into_iter().map(|(option, engines)| argument(option, &engines)))
        })
    })
}

fn argument(option: &Declared, engines: &[&str]) -> Arg {
    let arg = Arg::new(option.name)
        .long(option.name)
        .value_name(option.value)
        .help(format!("{} ({})", option.help, engines.join(", ")))
        .help_heading("Engines");
    match option.values {
        Values::Number { from, to, .. } => {
            arg.value_parser(clap::value_parser!(u32).range(i64::from(from)..=i64::from(to)))
        }
        Values::Choice(choices) => {
            let value = |choice: &engine::Choice| PossibleValue::new(choice.name).help(choice.help);
            arg.value_parser(PossibleValuesParser::new(choices.iter().map(value)))
        }
    }
}

/// Reads the command line.
///
/// # Errors
/// It makes no sense, or asks for help.
pub fn parse(matches: &ArgMatches) -> Result<Cli, clap::Error> {
    let mut cli = Cli::from_arg_matches(matches)?;
    if let (Some(running), Some((_, given))) = (cli.command.running(), matches.subcommand()) {
        for (option, _) in declared() {
            if given.value_source(option.name) == Some(ValueSource::CommandLine) {
                let values = given.get_raw(option.name).into_iter().flatten();
                let value = |value: &std::ffi::OsStr| (option.name.to_owned(), value.to_string_lossy().into_owned());
                running.own.extend(values.map(value));
            }
        }
    }
    Ok(cli)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn engines_that_share_an_option_mean_the_same() {
        for engine in session::ENGINES {
            for option in engine.options() {
                let all = declared();
                let (known, _) = all.iter().find(|(known, _)| known.name == option.name).expect("it is declared");
                assert_eq!((known.value, known.help), (option.value, option.help), "{}", option.name);
            }
        }
    }

    #[test]
    fn values_reach_the_engine_s_options() {
        let line = ["fencepost", "check", "a.c", "--engine", "lazy", "--rounds", "3", "--queues", "explicit"];
        let matches = command().try_get_matches_from(line).expect("a good line");
        let mut cli = parse(&matches).expect("a good line");
        let running = cli.command.running().expect("check runs engines");
        let options = running.request(None, None).expect("lazy has these options").options;
        assert_eq!(options.schedule.rounds, Some(3));
        assert_eq!(options.schedule.queues, engine::Queues::Explicit);
    }

    #[test]
    fn an_option_that_the_engine_does_not_have_is_an_error() {
        let line = ["fencepost", "check", "a.c", "--engine", "coherence", "--rounds", "3"];
        let matches = command().try_get_matches_from(line).expect("the option exists");
        let mut cli = parse(&matches).expect("the option exists");
        let running = cli.command.running().expect("check runs engines");
        assert!(running.request(None, None).is_err());
        assert!(running.request(None, Some("lazy")).is_ok());
    }
}
