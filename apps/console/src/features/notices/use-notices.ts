import type { Notice } from "@longarm/contract/staff-tasks";
import { useEffect, useRef, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useRead } from "../../shared/ui/queries.ts";

/** What is urgent rings again until somebody takes it, ms. */
const AGAIN_MS = 60_000;
/** Banners at once. */
const BANNERS_MAX = 2;
const LOUDEST: readonly Notice["tone"][] = ["stop", "urgent", "forYou", "info"];

export type NoticesNow = {
  readonly rows: readonly Notice[];
  readonly unread: number;
  /** New ones that ring, until they are taken or dismissed. */
  readonly banners: readonly Notice[];
  dismiss(seq: number): void;
};

/** The notifications of this person, and what of them is news to this page. News rings once, and again each minute while it is unassigned. */
export function useNotices(): NoticesNow {
  const { tones, timers } = useConsole();
  const notices = useRead("notices");
  const seen = useRef<number | null>(null);
  const [news, setNews] = useState<ReadonlySet<number>>(new Set());
  const rows = notices.data?.rows ?? [];
  const newest = notices.data === undefined ? null : Math.max(0, ...rows.map(({ seq }) => seq));

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is decided when a newer one comes.
  useEffect(() => {
    if (newest === null) return;
    const before = seen.current;
    seen.current = newest;
    // What was there when the page opened is in the list, and rings with the next minute.
    if (before === null || newest <= before) return;
    const fresh = rows.filter(({ seq, rings }) => seq > before && rings);
    if (fresh.length === 0) return;
    setNews((known) => new Set([...known, ...fresh.map(({ seq }) => seq)]));
    tones.play(loudest(fresh));
  }, [newest]);

  const ringing = rows.filter(({ rings, tone }) => rings && (tone === "stop" || tone === "urgent"));
  const isRinging = ringing.length > 0;
  const loud = loudest(ringing);
  useEffect(() => {
    if (!isRinging) return;
    let stop = (): void => {};
    const again = (): void => {
      stop = timers.after(AGAIN_MS, () => {
        tones.play(loud);
        again();
      });
    };
    again();
    return () => stop();
  }, [isRinging, loud, timers, tones]);

  const banners = rows.filter(({ seq, rings }) => rings && news.has(seq)).slice(0, BANNERS_MAX);
  return {
    rows,
    unread: notices.data?.unread ?? 0,
    banners,
    dismiss: (seq) => setNews((known) => new Set([...known].filter((one) => one !== seq))),
  };
}

const loudest = (notices: readonly Notice[]): Notice["tone"] =>
  LOUDEST.find((tone) => notices.some((notice) => notice.tone === tone)) ?? "info";
