# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests of the tool-info module: `python3 -m unittest` in this directory, with BenchExec installed."""

import unittest

import benchexec.result as result
from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode

import fencepost


def answer(output, code=0):
    """What the module makes of an output and an exit code."""
    lines = BaseTool2.RunOutput([line + "\n" for line in output])
    run = BaseTool2.Run(["fencepost"], ProcessExitCode(raw=code << 8, value=code, signal=None), lines, None)
    return fencepost.Tool().determine_result(run)


class Module(unittest.TestCase):
    def test_the_last_line_is_the_answer(self):
        self.assertEqual(answer(["true"]), result.RESULT_TRUE_PROP)
        self.assertEqual(answer(["x.c: a story", "false(unreach-call)"], 10), result.RESULT_FALSE_REACH)
        self.assertEqual(answer(["false(valid-free)"], 10), result.RESULT_FALSE_FREE)
        self.assertEqual(answer(["true", "unknown"], 5), result.RESULT_UNKNOWN)

    def test_what_is_no_answer_is_an_error(self):
        self.assertTrue(answer([], 6).startswith(result.RESULT_ERROR))
        self.assertTrue(answer(["error: `goto` into a block"], 2).startswith(result.RESULT_ERROR))
        self.assertTrue(answer(["truely"]).startswith(result.RESULT_ERROR))

    def test_the_command_names_property_and_data_model(self):
        task = BaseTool2.Task(["a.c"], None, "p.prp", {"language": "C", "data_model": "ILP32"})
        limits = BaseTool2.ResourceLimits(cputime=900)
        line = fencepost.Tool().cmdline("fencepost", ["--model", "sc"], task, limits)
        expected = ["check", "--model", "sc", "--svcomp-property", "p.prp", "--timeout", "890", "--ilp32", "a.c"]
        self.assertEqual(line, ["fencepost", *expected])


if __name__ == "__main__":
    unittest.main()
