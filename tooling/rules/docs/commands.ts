import { FAULTS } from "@longarm/agent/doctor/commissioning/faults";
import { AGENT_HELP, DOCTOR_HELP } from "@longarm/agent/help";
import { CABINET_HELP } from "@longarm/cabinet/help";
import { commandHelp, EVERYWHERE, usage } from "@longarm/platform/cli/arguments";
import type { Command } from "@longarm/platform/cli/command";
import { COMMANDS } from "@longarm/platform/cli/commands";
import { LONG_RUN_HELP } from "../../../bench/long-run/options.ts";
import { BENCH_HELP } from "../../../bench/options.ts";
import { HELP as START_HELP } from "../../../launcher/options.ts";
import { PARTS } from "../../../proof/main.ts";
import { testHelp } from "../../checks/steps.ts";

const INTRODUCTION = `# Commands

Every command with every option, and every fault that the doctor names, generated from the programs' own sources and \`--help\` by \`npm run generate\`; do not edit this page. How to use the staff commands is in [staff](staff.md), how to read the
measurements in [performance](../performance.md) and [reliability](../reliability.md). In the repository write \`npm run longarm -- <command>\`; on a server \`longarm <command>\`.`;

/** The command reference: each program's help, as it prints it. */
export async function commandsPage(): Promise<string> {
  return [
    INTRODUCTION,
    section("npm start", START_HELP),
    section("npm test", testHelp()),
    section("npm run agent", `${AGENT_HELP}\n${DOCTOR_HELP}`),
    faultsSection(),
    section("npm run cabinet", CABINET_HELP),
    "## longarm",
    `Options of every command:\n\n${block(everywhere)}`,
    ...COMMANDS.map(commandSection),
    section("npm run bench", BENCH_HELP),
    section("npm run long-run", LONG_RUN_HELP),
    "## npm run proof",
    ...(await Promise.all(
      Object.entries(PARTS).map(async ([name, load]) => {
        const { proves, options } = await load();
        return `### ${name}\n\n${sentence(proves)}\n\n${block(options.map((line) => `  ${line}`).join("\n"))}`;
      }),
    )),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The lines of a help for the options that every command has. */
const isEverywhere = (line: string): boolean =>
  Object.keys(EVERYWHERE).some((name) => new RegExp(`^ {2}--${name}( |$)`).test(line));

const [anyCommand] = COMMANDS;
const everywhere = anyCommand === undefined ? "" : commandHelp(anyCommand).split("\n").filter(isEverywhere).join("\n");

function commandSection(command: Command): string {
  const [, ...lines] = commandHelp(command).split("\n");
  const own = lines.filter((line) => !isEverywhere(line)).join("\n");
  return `### ${usage(command)}\n\n${sentence(command.about)}\n\n${block(own)}`;
}

/** What `doctor --machine` can find wrong, with its advice. */
function faultsSection(): string {
  const rows = Object.entries(FAULTS).map(([name, check]) => `| \`${name}\` | ${check}. |`);
  return `### Faults of a machine\n\n| fault | what to check |\n| --- | --- |\n${rows.join("\n")}`;
}

const section = (name: string, help: string): string => `## ${name}\n\n${block(help)}`;
const block = (text: string): string => `\`\`\`text\n${text.replaceAll(/^\n+|\s+$/g, "")}\n\`\`\``;
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
