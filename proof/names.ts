import { parseArgs } from "node:util";
import { DENIZ } from "../rig/player.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import type { Part } from "./part.ts";
import { computer } from "./part.ts";

const TIMES = 400;
/** How far the share of pairs in which the known name took longer may be from a half: what is beyond would be seen with some hundred tries. */
const OFF_MAX = 0.08;

/** Whether the time of an answer shows a stranger that a name exists. */
export const names: Part = {
  proves: "a wrong password takes as long for a name that exists as for one that does not",
  options: [`--times N   wrong sign-ins of each name (${TIMES})`],
  async run(words, say) {
    const { values } = parseArgs({ args: [...words], options: { times: { type: "string" } } });
    const times = Number(values.times ?? TIMES);
    if (!Number.isInteger(times) || times < 10) throw new Error("--times must be a whole number from 10 on");
    say(computer());
    const [known, unknown] = await measure(times);
    const share = shareAbove(known, unknown);
    const held = Math.abs(share - 0.5) <= OFF_MAX;
    say(`known name     ${timesText(known)}`);
    say(`unknown name   ${timesText(unknown)}`);
    say(
      `ratio of the medians ${(median(known) / median(unknown)).toFixed(3)}; the known name took longer in ${(share * 100).toFixed(1)} % of all pairs`,
    );
    say(held ? "HELD: the time shows nothing." : "BROKEN: the time shows which name exists.");
    return held;
  },
};

/** How long each wrong sign-in took, ms; one name after the other, so that both meet the same computer. */
async function measure(times: number): Promise<[known: number[], unknown: number[]]> {
  const venue = await openTestVenue({
    machines: 1,
    platformEnv: {
      LOGIN_ATTEMPTS: "100",
      LOGIN_ATTEMPTS_NAME: "10000",
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      TRUSTED_PROXY_HOPS: "1",
    },
  });
  try {
    const took: [number[], number[]] = [[], []];
    for (let round = 0; round < times; round += 1)
      for (const [index, username] of [DENIZ.username, "no.such.player"].entries()) {
        const from = performance.now();
        const answer = await fetch(`${venue.href}/v1/login`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": `198.51.100.${round % 200}` },
          body: JSON.stringify({ username, password: "not the password", site_id: 1 }),
        });
        await answer.text();
        if (answer.status !== 401) throw new Error(`A wrong sign-in was answered ${answer.status}`);
        // The first ones warm up connections and code.
        if (round >= times / 10) took[index]?.push(performance.now() - from);
      }
    return took;
  } finally {
    await venue.close();
  }
}

const sorted = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);
const median = (values: readonly number[]): number => sorted(values)[Math.floor(values.length / 2)] ?? 0;

function timesText(values: readonly number[]): string {
  const at = (share: number): string => (sorted(values)[Math.floor((values.length - 1) * share)] ?? 0).toFixed(2);
  return `p10 ${at(0.1)} ms, p50 ${at(0.5)} ms, p90 ${at(0.9)} ms of ${values.length}`;
}

/** The share of all pairs in which the first is the larger one; a half when nothing sets them apart. */
function shareAbove(one: readonly number[], other: readonly number[]): number {
  const above = one.reduce((sum, value) => sum + other.filter((against) => value > against).length, 0);
  return above / (one.length * other.length);
}
