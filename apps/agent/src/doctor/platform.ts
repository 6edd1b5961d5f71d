import { AGENT_CLOCK_OFF_MS_MAX } from "@longarm/contract/agent-link";
import { HandshakeRefused } from "@longarm/link/ws-socket";
import { dialPlatform } from "../link/dial.ts";
import type { Clock } from "../ports/clock.ts";
import type { Finding } from "./finding.ts";
import { bad, good, wordsOf } from "./finding.ts";

const PART = "platform";
const ASK_MS = 8_000;

/** Whether the platform is there, knows this agent's key, and agrees about the time. Says no hello, so a running agent is not disturbed. */
export async function checkPlatform(url: string, key: string, clock: Clock): Promise<Finding[]> {
  const knocked = await knock(url, key, clock);
  return knocked.state === "good" ? [knocked, await askHealth(url, clock)] : [knocked];
}

async function knock(url: string, key: string, clock: Clock): Promise<Finding> {
  try {
    const socket = await dialPlatform({ url, key, clock });
    socket.close(1000, "only a look");
    return good(PART, `${url} takes this agent's key.`);
  } catch (error) {
    if (!(error instanceof HandshakeRefused)) {
      return bad(
        PART,
        `${url} cannot be reached (${wordsOf(error) || "no answer"}).`,
        "Check PLATFORM_URL, the network and the firewall for outgoing connections",
      );
    }
    const { httpStatus } = error;
    if (httpStatus === 401 || httpStatus === 403)
      return bad(
        PART,
        `The platform does not know this agent's key (HTTP ${httpStatus}).`,
        "Enrol the agent and put its key into AGENT_KEY",
      );
    if (httpStatus === 404)
      return bad(
        PART,
        `There is no agent link at ${url} (HTTP 404).`,
        "PLATFORM_URL ends in /agent; a proxy in front must pass WebSockets on",
      );
    return bad(
      PART,
      `${url} refuses the link (HTTP ${httpStatus}).`,
      "Try again in a minute; else look into the platform's log",
    );
  }
}

/** The platform's own time stands in every answer of its HTTP side, in whole seconds. */
async function askHealth(url: string, clock: Clock): Promise<Finding> {
  const address = new URL(url);
  address.protocol = address.protocol === "wss:" ? "https:" : "http:";
  address.pathname = "/healthz";
  address.search = "";
  const sentAtMs = clock.now();
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(ASK_MS) });
    await answer.body?.cancel();
    const toldMs = Date.parse(answer.headers.get("date") ?? "");
    return Number.isNaN(toldMs) ? untold() : clockFinding(toldMs - clock.now(), toldMs + 1_000 - sentAtMs);
  } catch {
    return untold();
  }
}

const untold = (): Finding => ({ part: PART, state: "note", says: "The platform's clock could not be asked." });

/** The platform is ahead of us by `least` to `most`, ms. */
export function clockFinding(least: number, most: number): Finding {
  const apart = least > 0 ? least : Math.max(0, -most);
  if (apart > AGENT_CLOCK_OFF_MS_MAX) {
    const seconds = (apart / 1_000).toFixed(0);
    return bad(
      PART,
      `The clocks of agent and platform are ${seconds} s or more apart; the platform refuses more than ${AGENT_CLOCK_OFF_MS_MAX / 1_000} s.`,
      "Let both computers take their time from the network (timedatectl set-ntp true)",
    );
  }
  return good(PART, "The clocks of agent and platform agree to within their second.");
}
