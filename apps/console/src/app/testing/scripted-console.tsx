import type { Language } from "@longarm/contract/settings";
import type { StaffCallName } from "@longarm/contract/staff";
import { staffCalls } from "@longarm/contract/staff";
import type { Me } from "@longarm/contract/staff-sign-in";
import { systemTimers } from "@longarm/link/socket";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { createMessages } from "@longarm/ui/messages.ts";
import type { Passkeys } from "@longarm/ui/passkeys.ts";
import { configure, render } from "@testing-library/react";
import { vi } from "vitest";
import { loadCatalogue } from "../../shared/texts.ts";
import { createTones } from "../../shared/tones.ts";
import { RootView } from "../root-view.tsx";
import { startConsole } from "../start.ts";

// Pages load their code when they are opened, and a slow computer is not a fault.
configure({ asyncUtilTimeout: 120_000 });

const WHEN = "2026-11-26T20:00:00.000Z";

/** Eva Kaya, an administrator. */
export const EVA: Me = {
  person: { id: "st_eva", username: "eva", name: "Eva Kaya", roles: ["administrator"] },
  permissions: ["staff.see", "staff.manage", "audit.see"],
  limits: {},
  signIn: { id: "si_1", how: "passkey", since: WHEN, expiresAt: WHEN, locked: false, idleMs: 300_000 },
  csrf: "token",
  passkeys: 1,
  recoveryCodesLeft: 10,
  directory: null,
  previousSignIn: null,
  venue: {
    name: "Grand Levent",
    node: "main",
    version: "0.1.0",
    now: WHEN,
    timeZone: "Europe/Istanbul",
    dayBeginsMinutes: 360,
    secondPerson: true,
    operatorWallet: false,
  },
};

/** A refusal of the platform. */
export class Refusal {
  readonly problem: string;
  readonly params: Record<string, string | number>;
  constructor(problem: string, params: Record<string, string | number> = {}) {
    this.problem = problem;
    this.params = params;
  }
}

type Answers = Partial<Record<StaffCallName, (body: Record<string, unknown>) => unknown>>;
export const CEREMONY = { ceremony: "ce_1", options: {}, expiresAt: WHEN };

/** Which call of the contract a request is. */
function callOf(method: string, path: string): StaffCallName {
  const found = (Object.keys(staffCalls) as StaffCallName[]).find((name) => {
    const call = staffCalls[name];
    const pattern = new RegExp(`^/staff/v1/${call.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return call.method === method && pattern.test(path);
  });
  if (found === undefined) throw new Error(`${method} ${path} is no call of the contract`);
  return found;
}

/** The whole console over a platform that answers as `answers` says, each by the name of its call; what has no answer is out of reach. */
export async function scriptedConsole(answers: Answers, language: Language = "en") {
  const called: { readonly name: StaffCallName; readonly body: Record<string, unknown> }[] = [];
  const tones = createTones(() => undefined, { read: () => null, write: () => {} });
  const play = vi.spyOn(tones, "play");
  let now = Date.parse(WHEN);
  const passkeys = { use: vi.fn<Passkeys["use"]>(async () => credential), make: vi.fn(), busy: () => false };
  const leave = vi.fn();
  const started = startConsole({
    page: window,
    async fetch(input, init) {
      const name = callOf(init?.method ?? "GET", String(input).split("?")[0] ?? "");
      const body = JSON.parse(String(init?.body ?? "{}"));
      called.push({ name, body });
      const answer = answers[name];
      if (answer === undefined) throw new TypeError("out of reach");
      const said = answer(body);
      if (!(said instanceof Refusal)) return new Response(JSON.stringify(said));
      const failure = { problem: said.problem, params: said.params, text: said.problem, request: "req-7" };
      return new Response(JSON.stringify(failure), { status: said.problem === "signIn.needed" ? 401 : 409 });
    },
    channel: new BroadcastChannel("test"),
    clock: { now: () => now },
    timers: systemTimers,
    random: () => 0,
    newId: () => "act-number-1",
    openLive: () => () => {},
    passkeys,
    leave,
    push: { register: async () => {}, state: async () => "none", subscribe: vi.fn(), unsubscribe: vi.fn() },
    tones,
    texts: await createTexts(language, loadCatalogue, ["app", "problem", "right", "signIn"]),
    messages: createMessages(),
    kept: { read: () => null, write: () => {} },
  });
  const view = render(<RootView started={started} />);
  await started.console.sessions.refresh();
  /** Moves the clock; what shows times sees it with its next tick. */
  const pass = (ms: number): void => {
    now += ms;
  };
  return { ...view, ...started, called, passkeys, leave, play, pass };
}

const credential = {
  id: "key",
  rawId: "key",
  type: "public-key" as const,
  clientExtensionResults: {},
  response: { clientDataJSON: "a", authenticatorData: "b", signature: "c" },
};
