import type { Press, PressAnswer } from "@longarm/contract/data-channel";
import type { Button, Meters } from "@longarm/contract/machine";
import type { Page } from "playwright-core";
import type { ScriptedBackEnd } from "./back-end.ts";
import type { Camera } from "./camera-page.ts";
import { openCamera } from "./camera-page.ts";
import type { ScriptedInit } from "./game-world.ts";
import { scriptedInit } from "./game-world.ts";
import type { OpenedSocket } from "./sockets.ts";

/** Success with data, or a refusal by wire code. */
export type Said =
  | { readonly ok: unknown }
  | {
      readonly code: number | string;
      readonly reason?: string;
      readonly params?: Readonly<Record<string, string | number>>;
    };
/** Undefined: no answer ever comes. */
type GameScript = (data: never) => Said | undefined | Promise<Said | undefined>;

export type GameControls = {
  /** What `init` answers, but the SDP; `answer.meters` are the machine's meters now. */
  readonly answer: ScriptedInit;
  /** Every request and notification of the page on game sockets, in order. */
  readonly requested: readonly { readonly method: string; readonly data: unknown }[];
  /** What was asked of one method. */
  methods(method: string): unknown[];
  /** Every press that came, by channel or socket; a repeated one once. */
  readonly presses: readonly Press[];
  /** How a method is answered from now on, `press` by channel and socket alike: `script("press", ({ seq }) => ({ ok: { seq, outcome: "refused", at: 0 } }))`. */
  script(method: string, script: GameScript): void;
  /** Notifies the page on the newest game socket. */
  notify(method: string, data: unknown): void;
  /** Changes the machine's meters and tells them. */
  meters(part: Partial<Meters>): void;
  /** The running game ends with this win, minor units. */
  finish(win?: number): void;
  /** Closes the newest game socket: `close(4000, "kicked")`. */
  close(code: number, reason: string): void;
  /** Where the pictures come from. */
  readonly camera: Camera;
};

export type GameScriptOptions = {
  readonly machine: { readonly id: string; readonly name: string };
  readonly init: ((answer: ScriptedInit) => void) | undefined;
  readonly picture: boolean;
  readonly size: readonly [width: number, height: number] | undefined;
  readonly framesPerSecond: number;
};

/** The game's part of the scripted back end: answers the game socket and sends the pictures. */
export async function scriptGame(
  page: Page,
  backEnd: ScriptedBackEnd,
  { machine, init, picture, size: [width, height] = [640, 360], framesPerSecond }: GameScriptOptions,
): Promise<GameControls> {
  const answer = scriptedInit(machine.id, machine.name);
  init?.(answer);
  const requested: { method: string; data: unknown }[] = [];
  const newest = (): OpenedSocket | undefined => backEnd.opened.game.at(-1);
  const notify = (method: string, data: unknown): void =>
    newest()?.socket.send(JSON.stringify({ notification: true, method, data }));
  const meters = (part: Partial<Meters>): void => notify("meters", Object.assign(answer.meters, part));
  const scripts = new Map<string, GameScript>();
  const { presses, press } = takePresses(answer, meters, scripts);

  const browser = page.context().browser();
  if (browser === null) throw new Error("The page has no browser of its own");
  const camera = await openCamera(browser, backEnd.url, {
    ...{ room: () => answer.webcam, width, height, framesPerSecond },
    async onFrame(channel, frame) {
      const said = channel === "press" ? await press(JSON.parse(frame) as Press) : undefined;
      return said !== undefined && "ok" in said ? JSON.stringify(said.ok) : undefined;
    },
  });
  // A visitor who leaves in the middle of an offer gets no answer any more; any other failure is shown, for the page waits in vain.
  const unlessGone = (error: unknown): undefined => {
    if (!page.isClosed() && !camera.page.isClosed()) process.stderr.write(`The camera gave no answer: ${error}\n`);
  };
  const usual = usualAnswers(answer, meters, (sdp) =>
    sdp !== undefined && picture ? camera.answer(sdp).catch(unlessGone) : Promise.resolve(undefined),
  );

  backEnd.listenToGame(async ({ socket }, { id, method = "", data }) => {
    requested.push({ method, data });
    // The camera may be closed before its visitor is.
    if (method === "candidate") await camera.candidate(data).catch(() => {});
    if (id === undefined) return;
    const script = method === "press" ? press : (scripts.get(method) ?? usual[method]);
    const said = await script?.(data as never);
    if (said !== undefined) socket.send(JSON.stringify({ response: true, id, ...envelopeOf(said) }));
  });

  return {
    ...{ answer, requested, presses, notify, meters, camera },
    methods: (method) => requested.filter((one) => one.method === method).map(({ data }) => data),
    script: (method, script) => void scripts.set(method, script),
    finish(win = 0) {
      const { credit, gamesPlayed } = answer.meters;
      meters({ credit: credit + win, win, gamesPlayed: gamesPlayed + 1, inGame: false });
    },
    close: (code, reason) => newest()?.socket.close(code, reason),
  };
}

const envelopeOf = (said: Said): object =>
  "ok" in said
    ? { ok: true, data: said.ok }
    : { ok: false, errorCode: said.code, errorReason: said.reason ?? "", errorParams: said.params };

function takePresses(
  answer: ScriptedInit,
  meters: (part: Partial<Meters>) => void,
  scripts: ReadonlyMap<string, GameScript>,
) {
  const presses: Press[] = [];

  async function press(reported: Press): Promise<Said | undefined> {
    const again = presses.some(({ epoch, seq }) => epoch === reported.epoch && seq === reported.seq);
    if (!again) presses.push(reported);
    const script = scripts.get("press");
    if (script !== undefined) return await script(reported as never);
    const { kind } = answer.buttons.find(({ id }) => id === reported.button) ?? {};
    if (!again) move(reported.button, kind);
    const outcome: PressAnswer["outcome"] = kind === "wager" ? "started" : "done";
    return { ok: { seq: reported.seq, outcome, at: reported.at } satisfies PressAnswer };
  }

  /** What the machine does by itself: a game begins, a band is chosen. A game's end is the test's (`finish`). */
  function move(button: string, kind: Button["kind"] | undefined): void {
    const { credit, bet, inGame } = answer.meters;
    if (kind === "wager" && !inGame) meters({ credit: Math.max(0, credit - (bet ?? 0)), win: 0, inGame: true });
    if (button.startsWith("band:")) meters({ activeBand: button.slice("band:".length) });
  }
  return { presses, press };
}

function usualAnswers(
  answer: ScriptedInit,
  meters: (part: Partial<Meters>) => void,
  answered: (sdp: string | undefined) => Promise<string | undefined>,
): Record<string, GameScript> {
  return {
    init: async ({ offer }: { offer?: string }) => {
      if (answer.epoch !== undefined) answer.epoch += 1;
      return { ok: { ...answer, answer: await answered(offer) } };
    },
    offer: async ({ sdp }: { sdp: string }) => {
      const mine = await answered(sdp);
      return mine === undefined ? { code: 70000, reason: "Failed to start pipeline" } : { ok: { sdp: mine } };
    },
    cashIn: ({ amount }: { amount: number }) => {
      meters({ credit: answer.meters.credit + amount });
      return { ok: { outcome: "done", amount } };
    },
    cashOut: ({ amount = answer.meters.credit }: { amount?: number }) => {
      meters({ credit: answer.meters.credit - amount });
      return { ok: { outcome: "done", amount } };
    },
    callAttendant: () => ({ ok: { state: "open", calledAt: new Date().toISOString() } }),
    about: () => ({ ok: {} }),
    continue: () => ({ ok: {} }),
    keepPlaying: () => {
      delete answer.check;
      return { ok: {} };
    },
    checkEvery: () => ({ ok: {} }),
    hold: () => ({ ok: { leftMs: 300_000 } }),
    leave: () => ({ ok: { outcome: "done", amount: answer.meters.credit } }),
  };
}
