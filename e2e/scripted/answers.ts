import type { IncomingMessage } from "node:http";
import type { World } from "./world.ts";

export type Answered = { readonly httpStatus: number; readonly body: unknown };

/** A token as ours look; nobody checks its signature here. */
export function scriptedToken(player: Record<string, unknown>, expSeconds: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "EdDSA" })}.${part({ ...player, exp: expSeconds, jti: "j_1" })}.scripted`;
}

/** The scripted API: what a path answers, or undefined when it is no path of the API. */
export function createAnswers(world: World, token: string, calls: string[]) {
  const failures = new Map<string, Answered>();
  const ok = (body: unknown): Answered => ({ httpStatus: 200, body });
  const signedIn = {
    token,
    pin_code: "",
    ip_address: "85.104.12.7",
    versions: "2.3.4",
    last_logon: "2026-11-20T20:14:00.000Z",
    last_logon_ip: "85.104.12.9",
    Group: 1,
    Permissions: world.player["Permissions"],
  };

  /** Calls that need the token. */
  function playerCall(path: string): Answered {
    if (path === "/v1/validate") return ok(signedIn);
    if (path === "/v1/player/balance") return ok(world.balance);
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
    answer({ url = "/", method, headers }: IncomingMessage): Answered | undefined {
      const path = new URL(url, "http://x").pathname;
      const known = failures.get(path);
      failures.delete(path);
      if (known !== undefined) return known;
      if (path === "/Settings.json") return ok(world.settings);
      if (!path.startsWith("/v1/")) return undefined;
      calls.push(`${method} ${path}`);
      if (path === "/v1/login") return ok({ ...signedIn, code: 20000 });
      if (headers.authorization === `Bearer ${token}`) return playerCall(path);
      return { httpStatus: 401, body: { code: 10, ErrorMessage: "no" } };
    },
  };
}
