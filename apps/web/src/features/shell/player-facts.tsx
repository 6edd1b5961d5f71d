import type { ReactNode } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import { dateTimeText } from "../../shared/time/time-text.ts";
import { Avatar } from "../../shared/ui/avatar/avatar.tsx";
import css from "./player-facts.module.css";

/** The label of this front end (specification section 9). */
export const UI_VERSION = "v2.3.4";

/** First and last name, user name, and the balance below. */
export function PlayerCard({ player, children }: { player: SignedInPlayer; children: ReactNode }) {
  return (
    <div className={css["player"]}>
      <Avatar name={player.displayName} className={css["face"] ?? ""} />
      <b>
        <bdi>{player.displayName}</bdi>
      </b>
      <small>
        <bdi>{player.username}</bdi>
      </small>
      {children}
    </div>
  );
}

/** An address of the computer itself says nothing about a login. */
const publicAddress = (address: string): string => (/^(127\.|::1$|::ffff:127\.)/.test(address) ? "" : address);

/** Address of this login, then time and address of the one before, then the version (decision D-03). */
export function LoginFacts({ player, showVersion }: { player: SignedInPlayer; showVersion: boolean }) {
  const { t, language } = useText();
  const facts = [
    [t("shell.address"), publicAddress(player.IP)],
    [t("shell.lastLogin"), dateTimeText(player.LastLogon, language)],
    [t("shell.lastAddress"), publicAddress(player.LastLogonIP)],
    [t("shell.version"), showVersion ? UI_VERSION : ""],
  ].filter(([, value]) => value !== "");
  if (facts.length === 0) return null;
  return (
    <dl className={`${css["facts"]} num`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
