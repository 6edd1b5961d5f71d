import type { RelayUse } from "../media/transport/werift/relay.ts";
import type { RelayFinding } from "../media/transport/werift/try-relay.ts";
import { relayServer, tryRelay } from "../media/transport/werift/try-relay.ts";
import type { Clock } from "../ports/clock.ts";
import type { Finding } from "./finding.ts";
import { bad, good, note } from "./finding.ts";

const PART = "relay";

export interface RelayTrialDeps {
  /** May hold the platform's TURN_URLS and TURN_SECRET: an agent itself gets servers and credentials with each viewer. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Whether the agent's own side can go through the platform's TURN servers. */
export async function checkRelay(relay: RelayUse, { environment, clock }: RelayTrialDeps): Promise<Finding[]> {
  const urls = (environment["TURN_URLS"] ?? "").split(",").map((url) => url.trim());
  const secret = environment["TURN_SECRET"]?.trim() ?? "";
  const turn = urls.filter((url) => /^turns?:/.test(url));
  if (turn.length === 0 || secret === "") return [untried(relay)];
  const found = await tryRelay(relayServer(turn, secret, clock.now()), clock);
  return found.map((one) => relayFinding(one, relay));
}

function untried(relay: RelayUse): Finding {
  const change = "Start the doctor with the platform's TURN_URLS and TURN_SECRET to have them tried";
  if (relay === "no")
    return note(PART, "The agent's own side does not go through TURN servers (ICE_RELAY is no); browsers may.");
  return note(
    PART,
    `The agent's own side goes through the platform's TURN servers (ICE_RELAY is ${relay}); they were not tried.`,
    change,
  );
}

/** A sentence of the trial is what was seen, a colon, and what to change. */
function relayFinding({ url, works, sentence }: RelayFinding, relay: RelayUse): Finding {
  const says = `${url}: ${sentence}`;
  if (works) return good(PART, says);
  if (relay === "no") return note(PART, `${says} This agent does not use it (ICE_RELAY is no), but browsers do.`);
  return bad(PART, says, "Mend the server, or set ICE_RELAY to no where browsers reach the agent without it");
}
