import { useText } from "@longarm/ui/i18n/use-text.ts";
import { createContext, use, useEffect, useRef, useState } from "react";
import { useConsole } from "../console.ts";
import { clockText } from "../times.ts";
import css from "./still.module.css";
import type { StillLoader } from "./still-loader.ts";

/** Where stills come from, on one page: their address, the budget they share, the venue's time and how far this computer's clock is off, ms. */
export type Stills = {
  readonly base: string;
  readonly loader: StillLoader;
  readonly timeZone: string;
  readonly skewMs: number;
};
export const StillsContext = createContext<Stills | undefined>(undefined);

/** Older than this a still is not shown as if it were now, ms. */
export const FRESH_MS = 30_000;

type StillOf = {
  readonly id: string;
  readonly name: string;
  readonly stillTag: string | null;
  readonly stillAt: string | null;
  readonly answers: boolean;
};

/** The newest still of a machine, fetched only while it is in the window. What is old is grey and dark, and carries its time; `small`: the time alone. */
export function Still({ machine, small = false }: { readonly machine: StillOf; readonly small?: boolean }) {
  const { t } = useText();
  const stills = use(StillsContext);
  if (stills === undefined) throw new Error("StillsContext is missing above this component");
  const place = useRef<HTMLSpanElement>(null);
  const seen = useSeen(place);
  const address = useStill(stills, machine, seen);
  const { id: _, name, stillAt, answers } = machine;
  const at = stillAt === null ? null : Date.parse(stillAt);
  const isOld = useOld(at, stills.skewMs) || !answers;
  const time = at === null ? "" : clockText(at, stills.timeZone);
  const words = at === null ? t("app.noStill") : t("app.stillAt", { time });
  return (
    <span ref={place} className={css["still"]} data-old={isOld || undefined}>
      {address !== null && <img src={address} alt={t("app.stillOf", { name })} />}
      {isOld && (
        <span className={css["stamp"]} data-small={small || undefined} title={words}>
          {small ? time : words}
        </span>
      )}
    </span>
  );
}

/** The address of the newest still that is here. The one before stays until the next is here. */
function useStill({ base, loader }: Stills, { id, stillTag }: StillOf, seen: boolean): string | null {
  const wanted = stillTag === null ? null : `${base}${encodeURIComponent(id)}?tag=${encodeURIComponent(stillTag)}`;
  const [here, setHere] = useState<string | null>(null);
  useEffect(() => {
    if (!seen || wanted === null) return;
    return loader.want(id, wanted, () => setHere(wanted));
  }, [seen, id, wanted, loader]);
  return here;
}

/** Whether a still of this time is old, which it becomes by itself. */
function useOld(at: number | null, skewMs: number): boolean {
  const { clock, timers } = useConsole();
  const [oldAt, setOldAt] = useState<number | null>(null);
  useEffect(() => {
    if (at === null) return;
    return timers.after(Math.max(0, at + FRESH_MS - clock.now() - skewMs), () => setOldAt(at));
  }, [at, skewMs, clock, timers]);
  return at === null || at + FRESH_MS <= clock.now() + skewMs || oldAt === at;
}

/** Whether an element is in the window or just beside it. One observer watches for all. */
function useSeen(place: { readonly current: Element | null }): boolean {
  const [seen, setSeen] = useState(typeof IntersectionObserver === "undefined");
  useEffect(() => {
    const element = place.current;
    if (element === null || typeof IntersectionObserver === "undefined") return;
    observer ??= new IntersectionObserver(report, { rootMargin: "160px" });
    listeners.set(element, setSeen);
    observer.observe(element);
    return () => {
      observer?.unobserve(element);
      listeners.delete(element);
    };
  }, [place]);
  return seen;
}
let observer: IntersectionObserver | undefined;
const listeners = new WeakMap<Element, (seen: boolean) => void>();
function report(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
}
