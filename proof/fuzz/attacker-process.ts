import { setPriority } from "node:os";
import type { AgentSide } from "./agent-process.ts";
import type { WorstFigures } from "./attacker.ts";
import { burn, createWorst } from "./attacker.ts";

/*
 * The attacker, in a process of its own that yields to all others: one who attacks from elsewhere takes none of the venue's processors, his packets do.
 */

export type ToAttacker =
  | { readonly is: "begin"; readonly what: "attack"; readonly seed: number; readonly forMs: number }
  | { readonly is: "begin"; readonly what: "burn"; readonly share: number; readonly forMs: number }
  | { readonly is: "answer"; readonly ask: number; readonly sdp: string | undefined }
  | { readonly is: "closed"; readonly id: string };
export type FromAttacker =
  | { readonly is: "join"; readonly ask: number; readonly id: string; readonly sdp: string }
  | { readonly is: "leave"; readonly id: string }
  | ({ readonly is: "over"; readonly share: number } & WorstFigures);

const LOWEST = 19;

const send = (message: FromAttacker): void => void process.send?.(message);
const waiting = new Map<number, (sdp: string | undefined) => void>();
const closed = new Set<string>();
let joins = 0;

const agent: AgentSide = {
  join(id, sdp) {
    joins += 1;
    const ask = joins;
    send({ is: "join", ask, id, sdp });
    return new Promise((answered) => waiting.set(ask, answered));
  },
  leave: (id) => send({ is: "leave", id }),
  trickle: () => undefined,
  closed: (id) => closed.has(id),
};
const doWorst = createWorst(agent);

async function begin(message: Extract<ToAttacker, { is: "begin" }>): Promise<void> {
  const [from, used] = [performance.now(), process.cpuUsage()];
  const isOver = (): boolean => performance.now() - from > message.forMs;
  let figures: WorstFigures = { sent: 0, joined: 0, stretches: [] };
  if (message.what === "attack") figures = await doWorst(message.seed, isOver);
  else await burn(message.share, isOver);
  const { user, system } = process.cpuUsage(used);
  send({ is: "over", ...figures, share: (user + system) / 1_000 / (performance.now() - from) });
}

process.on("message", (message) => {
  const order = message as ToAttacker;
  if (order.is === "begin") void begin(order);
  else if (order.is === "closed") closed.add(order.id);
  else {
    waiting.get(order.ask)?.(order.sdp);
    waiting.delete(order.ask);
  }
});
process.once("disconnect", () => process.exit());
// What the agent answers to nonsense must not end the one who attacks.
process.on("uncaughtException", () => undefined);
setPriority(LOWEST);
