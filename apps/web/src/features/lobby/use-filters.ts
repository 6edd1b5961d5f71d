import { painted } from "@longarm/ui/time/painted.ts";
import { useEffect, useRef, useState } from "react";
import type { FilterQuery, Filters } from "./filters.ts";
import { readFilters, writeFilters } from "./filters.ts";

/** What is typed reaches the address after a rest of this long, ms: browsers limit how often an address may change. */
const TYPED_MS = 250;

/** The lobby's filters, kept in the address: they outlive a reload and a game, and can be sent to somebody. */
export function useFilters(
  query: Readonly<Record<string, unknown>>,
  write: (query: FilterQuery) => void,
): [Filters, (filters: Filters) => void] {
  const inAddress = textOf(readFilters(query));
  const [filters, setFilters] = useState(() => readFilters(query));
  const seen = useRef(inAddress);
  /** Addresses of our own that are still on their way, in their order: they say nothing new. */
  const own = useRef<readonly string[]>([]);
  /** The newest choice, while the address does not know it. */
  const waiting = useRef<() => void>(undefined);
  useEffect(() => {
    return () => {
      waiting.current = undefined;
    };
  }, []);
  useEffect(() => {
    if (seen.current === inAddress) return;
    seen.current = inAddress;
    const place = own.current.indexOf(inAddress);
    // Those before it were overtaken. After somebody else's address none is on its way any more.
    own.current = place === -1 ? [] : own.current.slice(place + 1);
    if (place !== -1) return;
    waiting.current = undefined;
    setFilters(readFilters(JSON.parse(inAddress)));
  }, [inAddress]);

  function change(next: Filters): void {
    setFilters(next);
    const text = textOf(next);
    const send = () => {
      if (waiting.current !== send) return;
      waiting.current = undefined;
      if (text !== seen.current) own.current = [...own.current, text];
      write(writeFilters(next));
    };
    waiting.current = send;
    // A change of the address is dear: the chip is drawn before it.
    if (next.search === filters.search) void painted().then(send);
    else setTimeout(send, TYPED_MS);
  }
  return [filters, change];
}

const textOf = (filters: Filters): string => JSON.stringify(writeFilters(filters));
