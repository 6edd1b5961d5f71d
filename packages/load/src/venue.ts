import type { Call } from "@longarm/contract/call";
import type { CallName } from "@longarm/contract/http";
import { calls, Failure } from "@longarm/contract/http";
import type { IceServer } from "@longarm/contract/ice-server";
import type { ProblemName } from "@longarm/contract/problems";
import { problemOfCode } from "@longarm/contract/problems";
import { parseSettings } from "@longarm/contract/settings";
import * as z from "zod/mini";

/** Where a venue's doors are, as its page finds them: from `/Settings.json`. */
export type Venue = {
  /** Of the web, with its slash. */
  readonly href: string;
  readonly api: string;
  readonly siteId: string;
  readonly notifications: string;
  /** Of a machine without an address of its own. */
  readonly game: string;
  readonly iceServers: readonly IceServer[];
  /** The venue is on this computer. */
  readonly loopback: boolean;
  /** What is said there cannot be read on the way: by TLS, or because it leaves no computer. */
  readonly secret: boolean;
};

/** The venue cannot be used from here: one sentence that says what to do. */
export class VenueProblem extends Error {
  override readonly name = "VenueProblem";
}

/** A call was answered with a refusal. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  readonly httpStatus: number;
  readonly problem: ProblemName | undefined;
  /** What its counters call it: the problem's name, else its code, else the status. */
  readonly label: string;
  /** How long the venue asks us to wait, ms; 0: it does not say. */
  readonly waitMs: number;
  constructor(what: string, httpStatus: number, failure: Failure, waitMs: number) {
    super(`${what} was refused with ${httpStatus}: ${(failure.ErrorMessage ?? "no reason given").slice(0, 200)}`);
    this.httpStatus = httpStatus;
    this.problem = failure.code === undefined ? undefined : problemOfCode(failure.code);
    this.label = this.problem ?? (failure.code === undefined ? `http ${httpStatus}` : `code ${failure.code}`);
    this.waitMs = waitMs;
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** No answer within this, ms, is a failure. */
const ANSWER_MS = 15_000;

/** Reads a venue's settings at its address, such as `https://floor.example`. @throws VenueProblem. */
export async function findVenue(address: string): Promise<Venue> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new VenueProblem(`"${address.slice(0, 80)}" is no address: write it like https://floor.example`);
  const requested = new URL(address.endsWith("/") ? address : `${address}/`);
  const answer = await fetch(new URL("Settings.json", requested), { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    (error: unknown) => {
      throw new VenueProblem(whyNotReached(requested, error), { cause: error });
    },
  );
  // A venue that leads to its encrypted address is spoken to there alone.
  const page = answer.redirected ? new URL(".", answer.url) : requested;
  const given: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  if (given === undefined)
    throw new VenueProblem(`There is no Longarm at ${page.href}: Settings.json answers ${answer.status}.`);
  const { settings } = parseSettings(given);
  const socket = (path: string): string => new URL(path, page).href.replace(/^http/, "ws");
  const api = new URL(settings.apiUrl.endsWith("/") ? settings.apiUrl : `${settings.apiUrl}/`, page).href;
  const notifications = socket(settings.notificationUrl || new URL("/notifications", api).href);
  const game = socket(settings.gameUrl || new URL("/game", api).href);
  // As a browser, which opens nothing unencrypted from a page that was not.
  const open = page.protocol === "https:" && [api, notifications, game].find((href) => !/^(https|wss):/.test(href));
  if (open)
    throw new VenueProblem(`${page.href} is encrypted, but its Settings.json sends people to ${open}: correct it.`);
  const loopback = LOOPBACK.test(page.hostname);
  return {
    ...{ href: page.href, api, siteId: settings.siteId, iceServers: settings.iceServers, notifications, game },
    ...{ loopback, secret: loopback || page.protocol === "https:" },
  };
}

const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there: check the address and its port",
  ENOTFOUND: "its name is not known: check the address",
  EAI_AGAIN: "its name cannot be looked up now: check the network",
  EHOSTUNREACH: "there is no way to it: check the network",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is of another name",
};

function whyNotReached({ href }: URL, error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const code = cause?.code ?? "";
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return `${href} cannot be reached: its certificate is signed by nobody this computer knows. Name the signer's file in NODE_EXTRA_CA_CERTS.`;
  if ((error as Error).name === "TimeoutError") return `${href} does not answer within ${ANSWER_MS / 1_000} s.`;
  return `${href} cannot be reached: ${WHY[code] ?? cause?.message ?? String(error)}.`;
}

/** One call of the contract. @throws CallRefused, and an Error when there is no answer that can be read. */
export async function call<N extends CallName>(
  venue: Venue,
  name: N,
  { token, body, query }: { readonly token?: string; readonly body?: object; readonly query?: object } = {},
): Promise<z.output<(typeof calls)[N]["answer"]>> {
  const { method, path, answer }: Call = calls[name];
  const url = new URL(path, venue.api);
  for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, String(value));
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const given: unknown = await response.json().catch(() => undefined);
  const failure = z.safeParse(Failure, given);
  if (!response.ok || (failure.success && failure.data.ErrorMessage !== undefined))
    throw new CallRefused(path, response.status, failure.success ? failure.data : {}, waitOf(response));
  const read = z.safeParse(answer, given);
  if (!read.success) throw new Error(`${path} answered what cannot be read.`);
  return read.data as never;
}

function waitOf({ headers }: Response): number {
  const seconds = Number(headers.get("retry-after"));
  return Number.isFinite(seconds) ? Math.max(0, Math.min(3_600, seconds)) * 1_000 : 0;
}
