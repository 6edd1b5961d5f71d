import { setTimeout as pause } from "node:timers/promises";
import { MACHINE_STATUS } from "@longarm/contract/machine";
import { systemTimers } from "@longarm/link/socket";
import { openNotifications } from "@longarm/load/visitor/notifications";
import type { Venue } from "@longarm/load/visitor/venue";
import * as z from "zod/mini";
import type { Player } from "../../../e2e/player/player.ts";
import { playerIdOf, signIn } from "../../../e2e/player/player.ts";
import type { Chance } from "../../hour/chance.ts";
import type { SoakPlayer } from "../soak-venue.ts";

/** Somebody without a browser who comes and goes by chance. */
export type LifeDeps = {
  readonly venue: Venue;
  readonly who: SoakPlayer;
  readonly machines: readonly string[];
  readonly chance: Chance;
  /** Told of each thing that was done. */
  readonly note: (deed: string) => void;
  goesOn(): boolean;
};

export type Life = LifeDeps & { account: Player | undefined };

const AGAIN_MS = [200, 1_000] as const;
const Lobby = z.array(z.object({ id: z.string(), status: z.number(), mine: z.optional(z.boolean()) }));

/** One visit after the other until told to stop. Whatever breaks is told, and the next visit begins. Never rejects. */
export async function live(deps: LifeDeps, visit: (life: Life) => Promise<void>): Promise<void> {
  const life: Life = { ...deps, account: undefined };
  while (life.goesOn()) {
    try {
      await visit(life);
    } catch (error) {
      life.note(`failed: ${error instanceof Error ? error.message.slice(0, 80) : String(error)}`);
      await rest(life, ...AGAIN_MS);
    }
  }
  await signOut(life).catch(() => {});
}

export async function signedIn(life: Life): Promise<Player> {
  if (life.account !== undefined) return life.account;
  life.account = await signIn(new URL(life.venue.href).origin, life.who);
  life.note("signs in");
  return life.account;
}

export async function signOut(life: Life): Promise<void> {
  const account = life.account;
  life.account = undefined;
  if (account === undefined) return;
  await account.call("player/logout", { method: "POST" });
  life.note("signs out");
}

/** Reads the lobby. Answers the machine where the own seat is kept, and those that are free. */
export async function readLobby(life: Life): Promise<{ readonly own: string | undefined; readonly free: string[] }> {
  const account = await signedIn(life);
  const answer = await account.call("machine/all");
  if (answer.status === 401) life.account = undefined;
  if (!answer.ok) throw new Error(`the lobby answered ${answer.status}`);
  const floor = z.parse(Lobby, await answer.json()).filter(({ id }) => life.machines.includes(id));
  return {
    own: floor.find(({ mine }) => mine)?.id,
    free: floor.filter(({ status }) => status === MACHINE_STATUS.available).map(({ id }) => id),
  };
}

/** The lobby's own socket, open while `inside` goes on. */
export async function inLobby(life: Life, inside: () => Promise<unknown>): Promise<void> {
  const account = await signedIn(life);
  const { token } = account;
  const { next: random } = life.chance;
  const close = openNotifications(life.venue, { token, id: playerIdOf(account) }, { timers: systemTimers, random });
  try {
    await inside();
  } finally {
    close();
  }
}

export async function post({ account }: Life, path: string, body: object = {}): Promise<boolean> {
  const answer = await account?.call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer?.ok ?? false;
}

/** Ends early when the soak does. */
export async function rest(life: Pick<Life, "chance" | "goesOn">, least: number, most: number): Promise<void> {
  const endsAt = performance.now() + life.chance.between(least, most);
  while (life.goesOn() && performance.now() < endsAt)
    await pause(Math.min(250, Math.max(1, endsAt - performance.now())));
}
