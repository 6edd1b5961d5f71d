import type { Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SimulatedWallet } from "./wallet.ts";
import { isSigned } from "./wallet.ts";

/**
 * What goes wrong with a call. `lost`: it never arrives. `lostAnswer`: it is done, and its answer never comes. `slow`: it is done, and the answer comes
 * too late. `broken`: HTTP 500, and nothing was done. `brokenAfter`: HTTP 500 after it was done. `garbage`: done, and the answer is no JSON. `huge`: done,
 * and the answer does not end. `elsewhere`: a redirect.
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
  /** Which fault the next call of this kind has; undefined: none. */
  readonly fault?: (call: string) => WalletFault | undefined;
  /** How late a slow answer is, ms. */
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
    const given = parsed(body);
    calls.push({ call, id: (given as { id?: string } | undefined)?.id });
    const wrong = fault?.(call);
    if (wrong === "lost") return void response.destroy();
    if (wrong === "broken") return send(response, 500, {});
    if (wrong === "elsewhere") return void response.writeHead(307, { location: "/stolen" }).end();
    const { status, body: answer } = wallet.take(call, given);
    if (wrong === "lostAnswer") return void response.destroy();
    if (wrong === "brokenAfter") return send(response, 500, {});
    if (wrong === "garbage") return void response.end("<html>");
    if (wrong === "huge") return void response.end(JSON.stringify({ ...answer, more: "x".repeat(100_000) }));
    if (wrong === "slow") return void timers.add(setTimeout(() => send(response, status, answer), slowMs));
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
