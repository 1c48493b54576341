# This file is part of Fencepost, a verifier for concurrent programs on weak memory.
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tool-info module of Fencepost for BenchExec."""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, get_data_model_from_task


class Tool(benchexec.tools.template.BaseTool2):
    """Fencepost: `fencepost check` with the property file of the task."""

    RESULTS = {
        "true": result.RESULT_TRUE_PROP,
        "false(unreach-call)": result.RESULT_FALSE_REACH,
        "false(valid-deref)": result.RESULT_FALSE_DEREF,
        "false(valid-free)": result.RESULT_FALSE_FREE,
        "false(valid-memtrack)": result.RESULT_FALSE_MEMTRACK,
        "false(valid-memcleanup)": result.RESULT_FALSE_MEMCLEANUP,
        "false(no-overflow)": result.RESULT_FALSE_OVERFLOW,
        "unknown": result.RESULT_UNKNOWN,
    }

    def name(self):
        return "Fencepost"

    def executable(self, tool_locator):
        return tool_locator.find_executable("fencepost", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="fencepost")

    def cmdline(self, executable, options, task, rlimits):
        data_model = get_data_model_from_task(task, {ILP32: ["--ilp32"]}) or []
        if task.property_file:
            options = options + ["--svcomp-property", task.property_file]
        if rlimits.cputime and "--timeout" not in options:
            # Some time is left to write the answer.
            options = options + ["--timeout", str(max(1, rlimits.cputime - 10))]
        return [executable, "check", *options, *data_model, task.single_input_file]

    def determine_result(self, run):
        """The last line of the output is the answer."""
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        lines = [line.strip() for line in run.output if line.strip()]
        if lines and lines[-1] in self.RESULTS:
            return self.RESULTS[lines[-1]]
        if run.exit_code.value == 6:
            return result.RESULT_ERROR + " (internal)"
        if run.exit_code.value in (1, 2):
            return result.RESULT_ERROR + " (unsupported)"
        return result.RESULT_ERROR
