import { useEffect } from "react";
import type { TeamChat } from "../model/team-chat.ts";

/** While the contacts are in sight they are read again from time to time, and what came while nobody looked once somebody does. */
export function useFresh(chat: TeamChat, isInSight: boolean): void {
  useEffect(() => {
    const seen = () => chat.seen();
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, [chat]);
  useEffect(() => (isInSight ? chat.watch() : undefined), [chat, isInSight]);
}
