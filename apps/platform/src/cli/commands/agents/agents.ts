import type { ListedAgent } from "../../../modules/play/agents/index.ts";
import { enrolAgent, listAgents, revokeAgent } from "../../../modules/play/agents/index.ts";
import type { PlayTables } from "../../../modules/play/tables.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { count, tableLines, timeText } from "../../output/table.ts";
import { printable } from "../../printable.ts";

const NAME = { name: "name", about: "of the agent, 1 to 64 characters" };
const OPTIONS = { by: BY, "dry-run": DRY_RUN };

/** Lets a new agent in. */
export const agentsEnrol: Command = {
  words: "agents enrol",
  about: "let a new agent in: prints its key, once",
  more: [
    "  longarm agents enrol hall-2",
    "",
    "The key goes into the agent's settings (AGENT_KEY). Only its hash is kept: who loses it takes longarm agents rotate.",
  ].join("\n"),
  places: [NAME],
  options: OPTIONS,
  prepare: (given) => (deps) => giveKey(deps, given, "enrol"),
};

/** Gives an agent another key. */
export const agentsRotate: Command = {
  words: "agents rotate",
  about: "give an agent another key: prints it, once; the old one ends at once",
  more: "  longarm agents rotate hall-2 --yes\n\nIts machines are away until the agent has the new key. Seats and credits stay.",
  places: [NAME],
  options: OPTIONS,
  asks: (given) => `The links of ${given.get("name")} end until it has its new key.`,
  prepare: (given) => (deps) => giveKey(deps, given, "rotate"),
};

/** Takes an agent's key away. */
export const agentsRevoke: Command = {
  words: "agents revoke",
  about: "take an agent's key away: its links end at once",
  more: "  longarm agents revoke hall-2 --yes\n\nlongarm agents rotate lets it in again, with another key.",
  places: [NAME],
  options: OPTIONS,
  asks: (given) => `The machines of ${given.get("name")} cannot be played any more.`,
  prepare: (given) => async (deps) => {
    const { name, who, dryRun } = read(deps, given);
    const known = await knownAgent(deps, name);
    if (!known || known.revokedAt !== null) throw new CommandRefused(`There is no agent "${name}" with a key.`);
    if (dryRun) return said(deps, `Would take the key of ${name} away. Nothing was changed.`, { dryRun });
    await asStaff(deps, who, (transaction) => revokeAgent(transaction.withTables<PlayTables>(), name));
    deps.say(`${name} (${known.id}) has no key any more.`);
    const carriedOut = await haveCarriedOut(deps, { kind: "agentKey", body: { agentId: known.id }, by: who });
    return { agent: known.id, carriedOut };
  },
};

/** Lists the agents. */
export const agentsList: Command = {
  words: "agents list",
  about: "list the agents and how many of their machines are linked now",
  more: "  longarm agents list",
  options: {},
  prepare: () => async (deps) => {
    const agents = await listAgents(deps.db.withTables<PlayTables>());
    for (const line of tableLines(agents.map(columnsOf))) deps.say(line);
    deps.say(`${count(agents.length, "agent")}.`);
    return { agents };
  },
};

function columnsOf({ name, id, enrolledAt, revokedAt, machines, linked }: ListedAgent): string[] {
  const state =
    revokedAt === null ? `${linked} of ${count(machines, "machine")} linked` : `revoked ${timeText(revokedAt)}`;
  return [name, id, `enrolled ${timeText(enrolledAt)}`, state];
}

async function giveKey(deps: CommandDeps, given: Given, what: "enrol" | "rotate") {
  const { name, who, dryRun } = read(deps, given);
  const known = await knownAgent(deps, name);
  if (what === "enrol" && known)
    throw new CommandRefused(`There is an agent "${name}" already. longarm agents rotate gives it another key.`);
  if (what === "rotate" && !known) throw new CommandRefused(`There is no agent "${name}".`);
  const word = what === "enrol" ? `enrol ${name}` : `give ${name} another key`;
  if (dryRun) return said(deps, `Would ${word}. Nothing was changed.`, { dryRun });
  const { agentId, key } = await asStaff(deps, who, (transaction) =>
    enrolAgent(transaction.withTables<PlayTables>(), deps.random, name),
  );
  deps.say(what === "enrol" ? `Enrolled ${name} (${agentId}).` : `${name} (${agentId}) has another key.`);
  deps.say(`Its key, shown once: ${key}`);
  const carriedOut =
    what === "rotate" && (await haveCarriedOut(deps, { kind: "agentKey", body: { agentId }, by: who }));
  return { agent: agentId, key, ...(what === "rotate" && { carriedOut }) };
}

function read(deps: CommandDeps, given: Given) {
  const name = String(given.get("name"));
  if (name.length > 64 || name.trim() !== name || name === "" || printable(name) !== name || name.includes("\n"))
    throw new UsageProblem("An agent's name has 1 to 64 plain characters and no space around it.");
  return { name, who: whoAsks(deps, readBy(given)), dryRun: given.has("dry-run") };
}

async function knownAgent({ db }: CommandDeps, name: string): Promise<ListedAgent | undefined> {
  return (await listAgents(db.withTables<PlayTables>())).find((agent) => agent.name === name);
}

function said<T extends object>({ say }: CommandDeps, sentence: string, result: T): T {
  say(sentence);
  return result;
}
