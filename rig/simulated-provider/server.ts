import { createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isSigned } from "../simulated-wallet/wallet.ts";
import type { SimulatedProviderOptions, SimulatedState, Status } from "./provider.ts";
import { SimulatedProvider } from "./provider.ts";

/**
 * What goes wrong with a call. `lost`: it never arrives. `lostAnswer`: it is done, and its answer never comes. `slow`: it is done, and the answer comes
 * too late. `broken`: HTTP 500, and nothing was done. `brokenAfter`: HTTP 500 after it was done. `garbage`: done, and the answer is no JSON. `huge`: done,
 * and the answer does not end. `elsewhere`: a redirect. `early`: what became of it is reported before it is answered. `wrongAmount`, `wrongCurrency`:
 * done, and the answer names another one.
 */
export const CALL_FAULTS = [
  ...(["lost", "lostAnswer", "slow", "broken", "brokenAfter", "garbage", "huge", "elsewhere", "early"] as const),
  ...(["wrongAmount", "wrongCurrency"] as const),
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/**
 * What goes wrong with a report. `silent`: it is never sent. `twice`: it comes two times. `disorder`: an older one comes after it. `forged`: its signature is
 * another's. `old`: it was signed long ago. `noise`: it is no JSON. `wrongAmount`, `wrongCurrency`: it names another one.
 */
export const REPORT_FAULTS = [
  ...(["silent", "twice", "disorder", "forged", "old", "noise"] as const),
  ...(["wrongAmount", "wrongCurrency"] as const),
] as const;
export type ReportFault = (typeof REPORT_FAULTS)[number];

export type ProviderServer = {
  readonly provider: SimulatedProvider;
  /** The address of the provider, for `PROVIDERS`. */
  readonly url: string;
  /** Calls that came, in their order. */
  readonly calls: { readonly call: string; readonly id: string | undefined }[];
  /** What the platform answered each report, in their order. */
  readonly reports: { readonly state: string; readonly status: number }[];
  close(): Promise<void>;
};

export type ProviderServerOptions = Pick<SimulatedProviderOptions, "deposits" | "withdrawals"> & {
  /** `whsec_…`, as in `PROVIDER_SECRETS`. */
  readonly secret: string;
  readonly port?: number;
  /** Where reports go: the platform's origin and `/v1/providers/NAME/payments`. */
  readonly reportTo?: () => string | undefined;
  /** Which fault the next call of this kind has; undefined: none. */
  readonly callFault?: (call: string) => CallFault | undefined;
  /** The same of a report of this state. */
  readonly reportFault?: (state: string) => ReportFault | undefined;
  /** How late a slow answer is, ms. */
  readonly slowMs?: number;
};

const BODY_BYTES_MAX = 16_384;

/** Serves the provider on this computer: its calls, and the pages at which players pay. */
export async function serveSimulatedProvider(options: ProviderServerOptions): Promise<ProviderServer> {
  const { secret, port = 0, callFault, slowMs = 4_000 } = options;
  const calls: ProviderServer["calls"] = [];
  const reports: ProviderServer["reports"] = [];
  const seen = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  const sending = new Set<Promise<void>>();
  const unsent: Status[] = [];
  let origin = "";
  const provider = new SimulatedProvider({
    ...options,
    pages: () => `${origin}/pages/`,
    changed: (status) => {
      unsent.push(status);
      // After the answer of the call that caused it, unless a fault sends it first.
      setImmediate(() => void sendReports());
    },
  });
  async function sendReports(): Promise<void> {
    const now = unsent.splice(0).map((status) => report(options, reports, status));
    for (const one of now) sending.add(one.finally(() => sending.delete(one)));
    await Promise.all(now);
  }
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === undefined) return void response.destroy();
    const [place = "", name = ""] = (request.url ?? "").split("/").slice(1);
    if (place === "pages") return servePage(provider, request, response, name);
    if (!isSigned(secret, request.headers, body, Date.now() / 1_000, seen)) return send(response, 401, {});
    const given = parsed(body);
    calls.push({ call: name, id: (given as { id?: string } | undefined)?.id });
    const wrong = callFault?.(name);
    if (wrong === "lost") return void response.destroy();
    if (wrong === "broken") return send(response, 500, {});
    if (wrong === "elsewhere") return void response.writeHead(307, { location: "/stolen" }).end();
    const { status, body: answer } = provider.take(name, given);
    if (wrong === "early") await sendReports();
    if (wrong === "lostAnswer") return void response.destroy();
    if (wrong === "brokenAfter") return send(response, 500, {});
    if (wrong === "garbage") return void response.end("<html>");
    if (wrong === "huge") return void response.end(JSON.stringify({ ...answer, more: "x".repeat(100_000) }));
    if (wrong === "wrongAmount") return send(response, status, { ...answer, amount: 1 });
    if (wrong === "wrongCurrency") return send(response, status, { ...answer, currency: "XTS" });
    if (wrong === "slow") return void timers.add(setTimeout(() => send(response, status, answer), slowMs));
    send(response, status, answer);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    provider,
    url: `${origin}/provider/`,
    calls,
    reports,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await Promise.all([...sending, new Promise((resolve) => server.close(resolve))]);
    },
  };
}

/** How often a report is sent until it is taken. */
const TRIES = 3;
const ANSWER_MS = 3_000;

/** Reports a state, signed as Standard Webhooks 1.0 signs. */
async function report(
  { secret, reportTo, reportFault }: ProviderServerOptions,
  reports: ProviderServer["reports"],
  status: Status,
): Promise<void> {
  const url = reportTo?.();
  const wrong = reportFault?.(status.state);
  if (url === undefined || wrong === "silent") return;
  const post = async (given: Status | string, with_ = secret, at = Math.floor(Date.now() / 1_000)): Promise<number> => {
    const [id, body] = [randomUUID(), typeof given === "string" ? given : JSON.stringify(given)];
    const key = Buffer.from(with_.replace(/^whsec_/, ""), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(at),
        "webhook-signature": `v1,${signature}`,
      },
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => undefined);
    await response?.body?.cancel();
    reports.push({ state: status.state, status: response?.status ?? 0 });
    return response?.status ?? 0;
  };
  if (wrong === "forged") return void (await post(status, `whsec_${Buffer.alloc(32, 99).toString("base64")}`));
  if (wrong === "old") return void (await post(status, secret, Math.floor(Date.now() / 1_000) - 3_600));
  if (wrong === "noise") return void (await post("<html>"));
  if (wrong === "wrongAmount") return void (await post({ ...status, amount: (status.amount ?? 0) + 1 }));
  if (wrong === "wrongCurrency") return void (await post({ ...status, currency: "XTS" }));
  for (let tries = 0; tries < TRIES && (await post(status)) !== 200; ) tries += 1;
  if (wrong === "twice") await post(status);
  if (wrong === "disorder") for (const state of ["captured", "authorised", "open"]) await post({ ...status, state });
}

/** A page at which a player pays or does not, and goes back. */
function servePage(provider: SimulatedProvider, request: IncomingMessage, response: ServerResponse, id: string): void {
  const payment = provider.payments().get(id);
  if (payment === undefined) return void send(response, 404, {});
  const state = (request.url ?? "").split("/")[3] as SimulatedState | undefined;
  if (request.method !== "POST" || (state !== "captured" && state !== "refused")) {
    const button = (to: string, text: string) =>
      `<form method="post" action="/pages/${id}/${to}"><button>${text}</button></form>`;
    return void response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(`<!doctype html><title>Pay</title><h1>Pay ${payment.amount / 100} ${payment.currency}</h1>
${button("captured", "Pay")}${button("refused", "Do not pay")}`);
  }
  if (payment.state === "open") provider.become(id, state, state === "refused" ? "The card was declined." : undefined);
  response.writeHead(303, { location: payment.returnUrl }).end();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
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
