import type { World } from "./world.ts";

export type Answered = {
  readonly httpStatus: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A call as it came in. */
export type ScriptedCall = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON body, or undefined. */
  readonly body: unknown;
};
export type Script = (call: ScriptedCall) => Answered | Promise<Answered>;

export const ok = (body: unknown): Answered => ({ httpStatus: 200, body });
/** A refusal in the form of contract.md section 2. */
export const refused = (httpStatus: number, code: number, more: Record<string, unknown> = {}): Answered => ({
  httpStatus,
  body: { code, ErrorMessage: `Refused with ${code}`, ...more },
});

/** A token as ours look; its signature is not checked here. */
export function scriptedToken(player: Record<string, unknown>, expSeconds: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "EdDSA" })}.${part({ ...player, exp: expSeconds, jti: "j_1" })}.scripted`;
}

/** The scripted API: what a call is answered, or undefined when its path is none of the API's. */
export function createAnswers(world: World, token: string, calls: ScriptedCall[]) {
  const failures = new Map<string, Answered>();
  const scripts = new Map<string, Script>();
  const signedIn = () => ({ token, ...world.signIn });
  // Whatever its signature: a renewed token of the same player is as good.
  const bearer = `Bearer ${token.replace(/[^.]+$/, "")}`;

  /** Calls that need the token. */
  function playerCall(path: string): Answered {
    if (path === "/v1/validate") return ok(signedIn());
    if (path === "/v1/player/balance") return ok(world.balance);
    if (path === "/v1/player/recent") return ok({ last: null, recent: { games: 0, wagered: 0, won: 0 } });
    if (path === "/v1/player/games") return ok({ games: [] });
    if (path === "/v1/player/push") return ok({ publicKey: "B".repeat(87), on: false });
    if (path === "/v1/player/passkeys")
      return ok({ passkeys: [], keepsLast: false, codesLeft: 0, appSince: null, freshUntil: null });
    if (path === "/v1/player/sign-ins") return ok({ signIns: [] });
    if (path === "/v1/player/logout") return ok({ code: 20000 });
    if (path === "/v1/machine/brands") return ok(world.brands);
    if (path === "/v1/machine/all") return ok(world.machines);
    const brand = /^\/v1\/machine\/(\w+)$/.exec(path)?.[1];
    if (brand === undefined)
      return { httpStatus: 404, body: { code: 40000, ErrorMessage: "There is no such path here" } };
    return ok({ brand, machines: world.machines.filter((machine) => machine.brand.toLowerCase() === brand) });
  }

  return {
    failNext: (path: string, httpStatus: number, body: unknown = {}) => void failures.set(path, { httpStatus, body }),
    script: (route: string, script: Script) => void scripts.set(route, script),
    answer(call: ScriptedCall): Answered | Promise<Answered> | undefined {
      const { method, path, headers } = call;
      const api = path.startsWith("/v1/") || path === "/check" || path.startsWith("/api/");
      if (api) calls.push(call);
      const known = failures.get(path);
      failures.delete(path);
      if (known !== undefined) return known;
      const script = scripts.get(`${method} ${path}`);
      if (script !== undefined) return script(call);
      if (path === "/Settings.json") return ok(world.settings);
      if (!api) return undefined;
      if (path === "/v1/login/ways") return ok({ openId: null });
      if (path === "/v1/login") return ok({ ...signedIn(), code: 20000 });
      if (String(headers["authorization"]).startsWith(bearer)) return playerCall(path);
      return { httpStatus: 401, body: { code: 10, ErrorMessage: "no" } };
    },
  };
}
