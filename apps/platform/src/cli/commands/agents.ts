import type { KeyEnded, KeyMade, ListedAgent, OldKey } from "../../modules/play/agents/index.ts";
import { addAgent, endAgentKey, listAgents, revokeAgent, rotateAgentKey } from "../../modules/play/agents/index.ts";
import { deskAgents } from "../../modules/play/desk/index.ts";
import type { PlayDb, PlayTables } from "../../modules/play/tables.ts";
import type { CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, REASON, withDefault } from "../fields.ts";
import { count, printable, sayTable, timeText } from "../output.ts";
import { asStaff, carryOut } from "../staff.ts";

const NAME = argument("of the agent, 1 to 64 characters", (name) => {
  if (name.length <= 64 && name.trim() === name && name !== "" && printable(name) === name && !name.includes("\n"))
    return name;
  throw new UsageProblem("An agent's name has 1 to 64 plain characters and no space around it.");
});
const HOURS = /^(\d{1,3})h$/;
const OLD_KEY = withDefault("<when>", "now, act, or hours such as 24h (at most 720h)", "now", (text): OldKey => {
  if (text === "now" || text === "act") return { is: text };
  const hours = Number(HOURS.exec(text)?.[1] ?? 0);
  if (hours >= 1 && hours <= 720) return { is: "hours", hours };
  throw new UsageProblem(`--old-key must be now, act or hours such as 24h, not "${text.slice(0, 40)}".`);
});

export const agentsEnrol = actCommand({
  name: "agents enrol",
  needs: "agent.manage",
  about: "add an agent and print its key, once",
  more: [
    "  longarm agents enrol hall-2",
    "",
    "The key goes into the agent's settings (AGENT_KEY). Only its hash is kept: if the key is lost, use longarm agents rotate.",
  ].join("\n"),
  arguments: { name: NAME },
  options: { reason: REASON, dryRun: DRY_RUN },
  async run(deps, { name, reason, by, dryRun }) {
    const { agentId, key } = await change(deps, by, dryRun, (db) => addAgent(db, deps.random, name, reason));
    if (dryRun) return sayDryRun(deps, `enrol ${name}`);
    deps.say(`Enrolled ${name} (${agentId}).`);
    deps.say(`Its key, shown once: ${key}`);
    return { agent: agentId, key };
  },
});

export const agentsRotate = actCommand({
  name: "agents rotate",
  needs: "agent.manage",
  about: "give an agent another key and print it, once; the old key ends now, after a time, or by an act",
  more: [
    "  longarm agents rotate hall-2 --old-key act",
    "  longarm agents end-key hall-2 --yes",
    "",
    "With --old-key 24h or act both keys hold, so the agent stays linked until it has the new one. Without it the old key ends at",
    "once, and its machines are away until then. Seats and credits stay.",
  ].join("\n"),
  arguments: { name: NAME },
  options: { oldKey: OLD_KEY, reason: REASON, dryRun: DRY_RUN },
  confirm: ({ name, oldKey }) =>
    oldKey.is === "now" ? `The links of ${name} end until it has its new key.` : `${name} gets another key.`,
  async run(deps, { name, oldKey: old, reason, by, dryRun }) {
    const made = await change(deps, by, dryRun, (db) => rotateAgentKey(db, deps.random, { name, old, reason }));
    if (dryRun) return sayDryRun(deps, `give ${name} another key`);
    deps.say(`${name} (${made.agentId}) has another key.`);
    deps.say(`Its key, shown once: ${made.key}`);
    if (old.is === "act") deps.say(`The old key holds until longarm agents end-key ${name}.`);
    if (old.is === "hours") deps.say(`The old key holds for ${count(old.hours, "hour")} more.`);
    const carriedOut = await carryOut(deps, { kind: "agentKey", body: { agentId: made.agentId }, by });
    return { agent: made.agentId, key: made.key, carriedOut };
  },
});

export const agentsEndKey = actCommand({
  name: "agents end-key",
  needs: "agent.manage",
  about: "end the older of an agent's two keys now",
  more: "  longarm agents end-key hall-2 --yes\n\nLinks that were opened with it end; the agent comes back with its new key.",
  arguments: { name: NAME },
  options: { reason: REASON, dryRun: DRY_RUN },
  confirm: ({ name }) => `Links of ${name} that use its older key end.`,
  async run(deps, { name, reason, by, dryRun }) {
    const agent = (await deskAgents(deps.db)).find((one) => one.name === name);
    const older = agent?.keys.at(-1);
    if (agent === undefined || older === undefined) throw new CommandRefused(`There is no agent "${name}" with a key.`);
    await change(deps, by, dryRun, (db) => endAgentKey(db, { name, keyId: older.id, reason }));
    if (dryRun) return sayDryRun(deps, `end the older key of ${name}`);
    deps.say(`The older key of ${name} (${agent.id}) has ended.`);
    const carriedOut = await carryOut(deps, { kind: "agentKey", body: { agentId: agent.id }, by });
    return { agent: agent.id, carriedOut };
  },
});

export const agentsRevoke = actCommand({
  name: "agents revoke",
  needs: "agent.manage",
  about: "take an agent's keys away: its links end at once",
  more: "  longarm agents revoke hall-2 --yes\n\nlongarm agents rotate lets it in again, with another key.",
  arguments: { name: NAME },
  options: { reason: REASON, dryRun: DRY_RUN },
  confirm: ({ name }) => `The machines of ${name} cannot be played any more.`,
  async run(deps, { name, reason, by, dryRun }) {
    const { agentId } = await change(deps, by, dryRun, (db) => revokeAgent(db, name, reason));
    if (dryRun) return sayDryRun(deps, `take the keys of ${name} away`);
    deps.say(`${name} (${agentId}) has no key any more.`);
    const carriedOut = await carryOut(deps, { kind: "agentKey", body: { agentId }, by });
    return { agent: agentId, carriedOut };
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

function columnsOf({ name, id, enrolledAt, revokedAt, machines, linked, keys }: ListedAgent): string[] {
  const state =
    revokedAt === null ? `${linked} of ${count(machines, "machine")} linked` : `revoked ${timeText(revokedAt)}`;
  return [name, id, `enrolled ${timeText(enrolledAt)}`, state, keys > 1 ? `${keys} keys hold` : ""];
}

function sayDryRun(deps: CommandDeps, what: string): object {
  deps.say(`Would ${what}. Nothing was changed.`);
  return { dryRun: true };
}

/** Changes keys as the console does; a dry run is rolled back. @throws CommandRefused. */
async function change<T extends KeyMade | KeyEnded>(
  deps: CommandDeps,
  by: string,
  dryRun: boolean,
  work: (db: PlayDb) => Promise<T>,
): Promise<Exclude<T, { readonly is: "refused" }>> {
  return await asStaff(
    deps,
    by,
    async (transaction) => {
      const answer = await work(transaction.withTables<PlayTables>());
      if (answer.is === "refused") throw new CommandRefused(answer.sentence);
      return answer as Exclude<T, { readonly is: "refused" }>;
    },
    dryRun,
  );
}
