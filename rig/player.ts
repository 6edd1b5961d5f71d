import type { Meters } from "@longarm/contract/machine";
import { Balance } from "@longarm/contract/notification-socket";
import { expect, vi } from "vitest";
import * as z from "zod/mini";
import { openPage } from "../apps/platform/src/testing/fake-page.ts";
import { DEMO_PLAYERS } from "../launcher/seed.ts";

export const [DENIZ, ELIF] = DEMO_PLAYERS as [(typeof DEMO_PLAYERS)[0], (typeof DEMO_PLAYERS)[0]];
export type Credentials = Pick<typeof DENIZ, "username" | "password">;

/** What the wallet, the machine and what is being checked hold together, minor units. */
export function allOf({ balance, onMachine = 0, pending = 0 }: Balance): number {
  return balance + onMachine + pending;
}

/** A player without a browser: signed in over HTTP, seated over the game socket. */
export type Player = {
  readonly token: string;
  /** Calls the API below `/v1/`. */
  call(path: string, init?: RequestInit): Promise<Response>;
  balance(): Promise<Balance>;
  /** The machines as this player's lobby shows them. */
  machines(): Promise<{ id: string; status: number }[]>;
  statusOf(machineId: string): Promise<number | undefined>;
  /** Opens the game socket of a machine, before `init`. */
  open(machineId: string): ReturnType<typeof openPage>;
};

const Machines = z.array(z.object({ id: z.string(), status: z.number() }));

export async function signIn(href: string, { username, password }: Credentials = DENIZ): Promise<Player> {
  const answer = await fetch(`${href}/v1/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password, site_id: 1 }),
  });
  if (!answer.ok) throw new Error(`The login answered ${answer.status}: ${await answer.text()}`);
  const { token } = z.parse(z.object({ token: z.string() }), await answer.json());
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${href}/v1/${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
  const machines = async () => z.parse(Machines, await (await call("machine/all")).json());
  return {
    token,
    call,
    balance: async () => z.parse(Balance, await (await call("player/balance")).json()),
    machines,
    statusOf: async (machineId) => (await machines()).find(({ id }) => id === machineId)?.status,
    open: (machineId) => openPage({ url: href.replace(/^http/, "ws"), token, machineId }),
  };
}

/** The id that the token names. */
export function playerIdOf({ token }: Pick<Player, "token">): string {
  const payload: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  return z.parse(z.object({ id: z.string() }), payload).id;
}

const SOON = { timeout: 60_000, interval: 100 };
/** A machine that took a press has said within this, ms, what came of it, also on a busy computer. */
const SAYS_MS = 10_000;

type MetersNow = z.output<typeof Meters>;

/** A player's device without video: it sits at a machine, and presses over the game socket. */
export type Device = Awaited<ReturnType<typeof sitAt>>;

/** A machine that is out of reach for a moment has taken nothing: the next attempt has another id, for a refused one stays refused. */
async function moveIn(page: Awaited<ReturnType<typeof openPage>>, id: string, amount: number): Promise<void> {
  let attempts = 0;
  const answer = await vi.waitFor(async () => {
    attempts += 1;
    const moved = await page.peer.request("cashIn", { id: `${id}.${attempts}`, amount });
    if (moved.is === "refused" && moved.refusal.name === "machine.unreachable") throw new Error(moved.refusal.reason);
    return moved;
  }, SOON);
  expect(answer).toMatchObject({ data: { outcome: "done", amount } });
}

export async function sitAt(player: Player, machineId: string) {
  const page = await player.open(machineId);
  const seated: { epoch: number; meters: MetersNow }[] = [];
  await expect
    .poll(async () => {
      const answer = await page.init();
      if (answer.is === "done" && answer.data.meters !== undefined)
        seated.push({ epoch: answer.data.epoch ?? 0, meters: answer.data.meters });
      return answer.is;
    }, SOON)
    .toBe("done");
  const { epoch, meters: first } = seated[0]!;
  let seq = 0;
  const meters = (): MetersNow => (page.ofMethod("meters").at(-1) as MetersNow | undefined) ?? first;

  async function press(): Promise<string> {
    seq += 1;
    const answer = await page.peer.request("press", {
      ...{ epoch, seq, button: "spin" },
      at: Date.now(),
      stake: meters().bet,
    });
    if (answer.is === "refused") return `refused ${answer.refusal.code}`;
    return answer.is === "done" ? answer.data.outcome : answer.is;
  }

  /** Presses until a game runs or is over; a press that came too late on a busy computer played none. */
  async function spin(): Promise<void> {
    const { gamesPlayed } = meters();
    const hasBegun = () => meters().inGame || meters().gamesPlayed > gamesPlayed;
    await expect
      .poll(async () => {
        if (hasBegun()) return "started";
        const outcome = await press();
        // The machine has the press and says later what came of it: another one might choose in its bonus, or begin a second game.
        if (outcome === "unconfirmed") await vi.waitUntil(hasBegun, { timeout: SAYS_MS }).catch(() => undefined);
        return outcome;
      }, SOON)
      .toBe("started");
  }

  return {
    page,
    peer: page.peer,
    meters,
    press,
    spin,
    /** Waits until the meters are so. */
    async shows(wanted: Partial<Record<keyof MetersNow, unknown>>): Promise<void> {
      await expect.poll(meters, SOON).toMatchObject(wanted);
    },
    /** Plays one game to its end. */
    async play(): Promise<void> {
      const { gamesPlayed } = meters();
      await spin();
      await expect.poll(() => meters().gamesPlayed, SOON).toBeGreaterThan(gamesPlayed);
      await expect.poll(() => meters().inGame, SOON).toBe(false);
    },
    async cashIn(id: string, amount: number): Promise<void> {
      await moveIn(page, id, amount);
      await expect.poll(() => meters().credit, SOON).toBeGreaterThanOrEqual(amount);
    },
    /** Gets up; tries again while a game still ends. */
    async leave(): Promise<void> {
      await expect.poll(() => page.peer.request("leave", {}), SOON).toMatchObject({ data: { outcome: "done" } });
    },
  };
}
