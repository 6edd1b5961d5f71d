import { Balance } from "@longarm/contract/notification-socket";
import * as z from "zod/mini";
import { openPage } from "../../apps/platform/src/testing/fake-page.ts";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";

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
