import type { ListedAgent } from "../../modules/play/agents/index.ts";
import { enrolAgent, listAgents, revokeAgent } from "../../modules/play/agents/index.ts";
import type { PlayTables } from "../../modules/play/tables.ts";
import type { CommandDeps } from "../command.ts";
import { CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, BY, DRY_RUN } from "../fields.ts";
import { count, printable, sayTable, timeText } from "../output.ts";
import { asStaff, carryOut } from "../staff.ts";

const NAME = argument("of the agent, 1 to 64 characters", (name) => {
  if (name.length <= 64 && name.trim() === name && name !== "" && printable(name) === name && !name.includes("\n"))
    return name;
  throw new UsageProblem("An agent's name has 1 to 64 plain characters and no space around it.");
});
const FIELDS = { arguments: { name: NAME }, options: { by: BY, dryRun: DRY_RUN } };
type Input = { readonly name: string; readonly by: string; readonly dryRun: boolean };

export const agentsEnrol = command({
  name: "agents enrol",
  about: "add an agent and print its key, once",
  more: [
    "  longarm agents enrol hall-2",
    "",
    "The key goes into the agent's settings (AGENT_KEY). Only its hash is kept: if the key is lost, use longarm agents rotate.",
  ].join("\n"),
  ...FIELDS,
  async run(deps, input) {
    if (await knownAgent(deps, input.name))
      throw new CommandRefused(
        `There is an agent "${input.name}" already. longarm agents rotate gives it another key.`,
      );
    if (input.dryRun) return sayDryRun(deps, `enrol ${input.name}`);
    const { agentId, key } = await writeKey(deps, input);
    deps.say(`Enrolled ${input.name} (${agentId}).`);
    deps.say(`Its key, shown once: ${key}`);
    return { agent: agentId, key };
  },
});

export const agentsRotate = command({
  name: "agents rotate",
  about: "give an agent another key and print it, once; the old key ends at once",
  more: "  longarm agents rotate hall-2 --yes\n\nIts machines are away until the agent has the new key. Seats and credits stay.",
  ...FIELDS,
  confirm: ({ name }) => `The links of ${name} end until it has its new key.`,
  async run(deps, input) {
    if (!(await knownAgent(deps, input.name))) throw new CommandRefused(`There is no agent "${input.name}".`);
    if (input.dryRun) return sayDryRun(deps, `give ${input.name} another key`);
    const { agentId, key } = await writeKey(deps, input);
    deps.say(`${input.name} (${agentId}) has another key.`);
    deps.say(`Its key, shown once: ${key}`);
    const carriedOut = await carryOut(deps, { kind: "agentKey", body: { agentId }, by: input.by });
    return { agent: agentId, key, carriedOut };
  },
});

export const agentsRevoke = command({
  name: "agents revoke",
  about: "take an agent's key away: its links end at once",
  more: "  longarm agents revoke hall-2 --yes\n\nlongarm agents rotate lets it in again, with another key.",
  ...FIELDS,
  confirm: ({ name }) => `The machines of ${name} cannot be played any more.`,
  async run(deps, { name, by, dryRun }) {
    const known = await knownAgent(deps, name);
    if (!known || known.revokedAt !== null) throw new CommandRefused(`There is no agent "${name}" with a key.`);
    if (dryRun) return sayDryRun(deps, `take the key of ${name} away`);
    await asStaff(deps, by, (transaction) => revokeAgent(transaction.withTables<PlayTables>(), name));
    deps.say(`${name} (${known.id}) has no key any more.`);
    const carriedOut = await carryOut(deps, { kind: "agentKey", body: { agentId: known.id }, by });
    return { agent: known.id, carriedOut };
  },
});

export const agentsList = command({
  name: "agents list",
  about: "list the agents and how many of their machines are linked now",
  more: "  longarm agents list",
  async run({ db, say }) {
    const agents = await listAgents(db.withTables<PlayTables>());
    sayTable(say, agents, columnsOf);
    say(`${count(agents.length, "agent")}.`);
    return { agents };
  },
});

function columnsOf({ name, id, enrolledAt, revokedAt, machines, linked }: ListedAgent): string[] {
  const state =
    revokedAt === null ? `${linked} of ${count(machines, "machine")} linked` : `revoked ${timeText(revokedAt)}`;
  return [name, id, `enrolled ${timeText(enrolledAt)}`, state];
}

function sayDryRun(deps: CommandDeps, what: string): object {
  deps.say(`Would ${what}. Nothing was changed.`);
  return { dryRun: true };
}

/** Gives the agent of a name a new key, and makes the agent when it is new. */
const writeKey = (deps: CommandDeps, { name, by }: Input) =>
  asStaff(deps, by, (transaction) => enrolAgent(transaction.withTables<PlayTables>(), deps.random, name));

async function knownAgent({ db }: CommandDeps, name: string): Promise<ListedAgent | undefined> {
  return (await listAgents(db.withTables<PlayTables>())).find((agent) => agent.name === name);
}
