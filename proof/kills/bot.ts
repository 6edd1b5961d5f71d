import { setTimeout as pause } from "node:timers/promises";
import type { Meters } from "@longarm/contract/machine";
import * as z from "zod/mini";
import type { Page } from "../../apps/platform/src/testing/fake-page.ts";
import type { Chance } from "../../rig/chance.ts";
import type { Counts } from "../../rig/figures.ts";
import type { Player } from "../../rig/player.ts";
import { signIn } from "../../rig/player.ts";
import type { KillPlayer } from "./venue.ts";

/** The last word a player was told about a money command. */
export type Told = { readonly is: "done"; readonly amount: number } | { readonly is: "refused" };

type MoneyAsk = {
  readonly method: "cashIn" | "cashOut";
  readonly id: string;
  readonly amount?: number;
  readonly machineId: string;
};

export type BotDeps = {
  readonly href: string;
  readonly player: KillPlayer;
  readonly machines: readonly string[];
  readonly chance: Chance;
  readonly counts: Counts;
  goesOn(): boolean;
};

export type Bot = {
  readonly player: KillPlayer;
  /** By the id that the player gave it. */
  readonly told: ReadonlyMap<string, Told>;
  /** Plays until it is told to stop. Never rejects. */
  readonly done: Promise<void>;
};

type Seat = { readonly page: Page; readonly machineId: string; readonly epoch: number; first: MetersNow; seq: number };
type MetersNow = z.output<typeof Meters>;
type Life = BotDeps & {
  asked: number;
  told: Map<string, Told>;
  open: MoneyAsk | undefined;
  wallet: Player | undefined;
};

/** Somebody without a browser who plays by chance: real HTTP, real game sockets, and presses over them. */
export function startBot(deps: BotDeps): Bot {
  const life: Life = { ...deps, asked: 0, told: new Map(), open: undefined, wallet: undefined };
  return { player: deps.player, told: life.told, done: live(life) };
}

async function live(life: Life): Promise<void> {
  while (life.goesOn()) {
    try {
      await visit(life);
    } catch {
      // Whatever it was in the middle of has broken: it comes back, as people do.
      life.counts.add("failed: visits");
      await pause(life.chance.between(50, 300));
    }
  }
}

async function visit(life: Life): Promise<void> {
  life.wallet ??= await signIn(life.href, life.player);
  const answer = await life.wallet.call("machine/all");
  if (answer.status === 401) life.wallet = undefined;
  if (!answer.ok || life.wallet === undefined) throw new Error(`the lobby answered ${answer.status}`);
  // Where its seat is kept, as the lobby tells.
  const own = z.parse(Lobby, await answer.json()).find(({ mine }) => mine)?.id;
  const machineId = own ?? life.chance.pick(life.machines);
  const page = await life.wallet.open(machineId);
  try {
    const init = await page.init();
    note(life, "init", init.is);
    if (init.is !== "done" || init.data.meters === undefined) return await pause(life.chance.between(50, 400));
    const seat: Seat = { page, machineId, epoch: init.data.epoch ?? 0, first: init.data.meters, seq: 0 };
    await settleOpen(life, seat);
    for (let left = life.chance.between(3, 15); left > 0 && life.goesOn(); left -= 1) {
      if (page.peer.closed) return;
      if ((await life.chance.weighted(ACTS)(life, seat)) === "up") return;
    }
  } finally {
    page.drop();
  }
}

const Lobby = z.array(z.object({ id: z.string(), mine: z.optional(z.boolean()) }));

type Act = (life: Life, seat: Seat) => Promise<"on" | "up">;

const cashIn: Act = (life, seat) =>
  money(life, seat, { method: "cashIn", amount: Math.round(life.chance.between(5_000, 60_000)) });

const cashOutPart: Act = (life, seat) =>
  money(life, seat, { method: "cashOut", amount: Math.round(life.chance.between(1_000, 20_000)) });

const cashOutAll: Act = (life, seat) => money(life, seat, { method: "cashOut" });

const spins: Act = async (life, seat) => {
  for (let left = life.chance.between(1, 8); left > 0 && !seat.page.peer.closed && life.goesOn(); left -= 1) {
    if (metersOf(seat).credit < metersOf(seat).bet && !metersOf(seat).inGame) return "on";
    await spin(life, seat);
  }
  return "on";
};

const leave: Act = async (life, { page }) => {
  const answer = await page.peer.request("leave", {});
  note(life, "leave", answer.is);
  return answer.is === "refused" ? "on" : "up";
};

/** The link is lost; it may come back before its seat is given up. */
const drop: Act = async () => "up";

const call =
  (path: "player/kick" | "player/cancel"): Act =>
  async (life, { machineId }) => {
    const answer = await life.wallet?.call(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ machineId }),
    });
    note(life, path, answer?.ok ? "done" : "refused");
    return answer?.ok ? "up" : "on";
  };

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [4, cashIn],
  [6, spins],
  [2, cashOutPart],
  [1, cashOutAll],
  [0.8, leave],
  [0.8, drop],
  [0.4, call("player/kick")],
  [0.4, call("player/cancel")],
];

const metersOf = ({ page, first }: Seat): MetersNow =>
  (page.ofMethod("meters").at(-1) as MetersNow | undefined) ?? first;

/** One press, and its game to the end as far as the link lets us see it. */
async function spin(life: Life, seat: Seat): Promise<void> {
  seat.seq += 1;
  const { bet, gamesPlayed } = metersOf(seat);
  const press = { epoch: seat.epoch, seq: seat.seq, button: "spin", at: Date.now(), stake: bet };
  const answer = await seat.page.peer.request("press", press);
  note(life, "press", answer.is);
  const started = answer.is === "done" && answer.data.outcome === "started";
  for (let look = 0; look < 60 && !seat.page.peer.closed; look += 1) {
    const now = metersOf(seat);
    if (now.gamesPlayed > gamesPlayed || (!started && !now.inGame && look > 3)) return;
    await pause(20);
  }
}

async function money(
  life: Life,
  seat: Seat,
  ask: Pick<MoneyAsk, "method"> & { readonly amount?: number },
): Promise<"on" | "up"> {
  life.asked += 1;
  life.open = { ...ask, id: `${life.player.username}-${life.asked}`, machineId: seat.machineId };
  return await settleOpen(life, seat);
}

/** Asks for what it does not know the outcome of: the same command with the same id, as a page does after a lost link. */
async function settleOpen(life: Life, { page, machineId }: Seat): Promise<"on" | "up"> {
  const ask = life.open;
  if (ask === undefined) return "on";
  // At another machine it would be another command: what became of it is the platform's to settle.
  if (ask.machineId !== machineId) life.open = undefined;
  while (life.open !== undefined && !page.peer.closed && life.goesOn()) {
    const { id, amount } = ask;
    const answer = await (ask.method === "cashIn"
      ? page.peer.request("cashIn", { id, amount: amount ?? 0 })
      : page.peer.request("cashOut", { id, ...(amount !== undefined && { amount }) }));
    note(life, ask.method, answer.is === "done" ? answer.data.outcome : answer.is);
    if (answer.is === "done" && answer.data.outcome === "done")
      life.told.set(id, { is: "done", amount: answer.data.amount });
    else if (answer.is === "refused") life.told.set(id, { is: "refused" });
    else {
      await pause(50);
      continue;
    }
    life.open = undefined;
  }
  return page.peer.closed ? "up" : "on";
}

function note({ counts }: Life, what: string, is: string): void {
  counts.add(is === "unknown" ? `failed: ${what}` : `${is}: ${what}`);
  counts.add("requests");
}
