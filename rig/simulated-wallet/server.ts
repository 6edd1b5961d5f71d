import type { Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SimulatedWallet } from "./wallet.ts";
import { isSigned } from "./wallet.ts";

/**
 * What goes wrong with a call. `lost`: it never arrives. `lostAnswer`: it is done, and its answer never comes. `slow`: it is done, and the answer comes
 * too late. `broken`: HTTP 500, and nothing was done. `brokenAfter`: HTTP 500 after it was done. `garbage`: done, and the answer is no JSON. `huge`: done,
 * and the answer does not end. `elsewhere`: a redirect. `silent`: it arrives, nothing is done, and the connection stays open without an answer.
 * `late`: it arrives after the platform has given it up, so that a debit comes after its own undo. `refused`: a refusal, and nothing was done; a credit
 * or an undo may not be refused, though the session has ended, so the platform sends it again.
 */
export const WALLET_FAULTS = [
  "lost",
  "lostAnswer",
  "slow",
  "broken",
  "brokenAfter",
  "garbage",
  "huge",
  "elsewhere",
  "silent",
  "late",
  "refused",
] as const;
export type WalletFault = (typeof WALLET_FAULTS)[number];

export type WalletServer = {
  /** The address of the wallet, for `WALLET_URL`. */
  readonly url: string;
  /** Calls that came, in their order. */
  readonly calls: { readonly call: string; readonly id: string | undefined }[];
  close(): Promise<void>;
};

export type WalletServerOptions = {
  readonly wallet: SimulatedWallet;
  /** `whsec_…`, as in `WALLET_SECRETS`. */
  readonly secret: string;
  readonly port?: number;
  /** Which fault the next call of this kind, for this player, has; undefined: none. */
  readonly fault?: (call: string, player: string | undefined) => WalletFault | undefined;
  /** How late a slow answer and a late call are, ms. */
  readonly slowMs?: number;
};

const BODY_BYTES_MAX = 16_384;

/** Serves the wallet on this computer. */
export async function serveSimulatedWallet({
  wallet,
  secret,
  port = 0,
  fault,
  slowMs = 4_000,
}: WalletServerOptions): Promise<WalletServer> {
  const calls: WalletServer["calls"] = [];
  const seen = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  const later = (run: () => void): void => void timers.add(setTimeout(run, slowMs));
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > BODY_BYTES_MAX) return void response.destroy();
      parts.push(part);
    }
    const body = Buffer.concat(parts);
    const call = (request.url ?? "").split("/").at(-1) ?? "";
    if (!isSigned(secret, request.headers, body, Date.now() / 1_000, seen)) return send(response, 401, {});
    const given = parsed(body) as { id?: string; player?: string } | undefined;
    const take = () => {
      calls.push({ call, id: given?.id });
      return wallet.take(call, given);
    };
    const wrong = fault?.(call, given?.player);
    if (wrong === "late") return later(take);
    if (wrong !== undefined && NOT_DONE.has(wrong)) calls.push({ call, id: given?.id });
    if (wrong === "silent") return;
    if (wrong === "refused") return send(response, 200, { is: "refused", reason: "notNow" });
    if (wrong === "lost") return void response.destroy();
    if (wrong === "broken") return send(response, 500, {});
    if (wrong === "elsewhere") return void response.writeHead(307, { location: "/stolen" }).end();
    const { status, body: answer } = take();
    if (wrong === "lostAnswer") return void response.destroy();
    if (wrong === "brokenAfter") return send(response, 500, {});
    if (wrong === "garbage") return void response.end("<html>");
    if (wrong === "huge") return void response.end(JSON.stringify({ ...answer, more: "x".repeat(100_000) }));
    if (wrong === "slow") return later(() => send(response, status, answer));
    send(response, status, answer);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/wallet/`,
    calls,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Faults of calls that came and of which nothing was done. */
const NOT_DONE: ReadonlySet<WalletFault> = new Set(["lost", "broken", "elsewhere", "silent", "refused"]);

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
