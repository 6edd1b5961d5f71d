import { useEffect, useState } from "react";
import { browserChecks } from "../../browser/connection/checks.ts";
import type { Finding } from "../../state/connection/finding.ts";
import { runSelfTest } from "../../state/connection/self-test.ts";
import { usePlay } from "../play-context.ts";

/** Pictures that come after the ways were tried come soon, ms. */
const PICTURES_MS = 3_000;

export type SelfTestNow = {
  readonly findings: readonly Finding[];
  readonly runs: boolean;
  readonly start: () => void;
};

/** The self-test of this game; `atOnce`: without being asked. It stops when nobody looks any more. */
export function useSelfTest(atOnce: boolean): SelfTestNow {
  const { session, deps } = usePlay();
  const { timers } = deps;
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [round, setRound] = useState(atOnce ? 1 : 0);
  const [done, setDone] = useState(0);
  useEffect(() => {
    if (round === 0) return;
    let left = false;
    setFindings([]);
    const state = () => session.state.getState();
    const pictures = (): Promise<boolean> =>
      new Promise((tell) => {
        if (state().live) {
          tell(true);
          return;
        }
        const finish = (came: boolean): void => {
          stop();
          unsubscribe();
          tell(came);
        };
        const stop = timers.after(PICTURES_MS, () => finish(false));
        const unsubscribe = session.state.subscribe(({ live }) => live && finish(true));
      });
    void runSelfTest(
      {
        ...browserChecks,
        ...{ state, pictures },
        protocol: () => session.linkReport().path.protocol,
        servers: () => session.iceServers(),
        tryWay: (way) => session.tryWay(way),
      },
      (finding) => setFindings((before) => [...before, finding]),
      () => left,
    ).then(() => !left && setDone(round));
    return () => {
      left = true;
    };
  }, [round, session, timers]);
  return { findings, runs: round !== done, start: () => setRound((last) => last + 1) };
}
