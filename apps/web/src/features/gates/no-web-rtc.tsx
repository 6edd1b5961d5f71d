import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { useId } from "react";
import { ContactLink } from "../../shared/contacts/contacts.tsx";
import css from "../../shared/ui/gate.module.css";
import { Gate } from "../../shared/ui/gate.tsx";

/** Instead of a game, where the browser has no WebRTC: what to do, and the way back. */
export function NoWebRtc({
  contacts,
  onRetry,
  onLobby,
}: {
  contacts: Settings["contacts"];
  onRetry: () => void;
  onLobby: () => void;
}) {
  const { t } = useText();
  const [contact] = contacts;
  usePageTitle(t("gates.noWebRtcTitle"));
  return (
    <Gate
      look="plain"
      lamp="waiting"
      word={t("gates.noWebRtcLamp")}
      title={t("gates.noWebRtcTitle")}
      actions={
        <>
          <Key kind="brass" big onClick={onRetry}>
            {t("app.tryAgain")}
          </Key>
          <Key big icon="back" onClick={onLobby}>
            {t("app.toLobby")}
          </Key>
          {contact && <ContactLink contact={contact} kind="bare" big />}
        </>
      }
      art={<DarkMachine />}
    >
      <ol>
        <li>{t("gates.noWebRtcBrowser")}</li>
        <li>{t("gates.noWebRtcVpn")}</li>
        <li>{t("gates.noWebRtcRetry")}</li>
      </ol>
    </Gate>
  );
}

/** A machine that lost its line: our own drawing. */
function DarkMachine() {
  const id = useId();
  return (
    <svg className={css["art"]} viewBox="0 0 760 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <defs>
        <linearGradient id={`${id}-body`} x2="1">
          <stop offset="0" stopColor="#0d0a09" />
          <stop offset=".08" stopColor="#3a322c" />
          <stop offset=".14" stopColor="#191512" />
          <stop offset=".86" stopColor="#191512" />
          <stop offset=".92" stopColor="#3a322c" />
          <stop offset="1" stopColor="#0d0a09" />
        </linearGradient>
        <radialGradient id={`${id}-lamp`}>
          <stop offset="0" stopColor="#ffc27a" stopOpacity=".42" />
          <stop offset=".35" stopColor="#ffc27a" stopOpacity=".13" />
          <stop offset="1" stopColor="#ffc27a" stopOpacity="0" />
        </radialGradient>
        <linearGradient id={`${id}-fade`} x2="0" y2="1">
          <stop offset="0" stopColor="#090706" stopOpacity="0" />
          <stop offset="1" stopColor="#090706" />
        </linearGradient>
      </defs>
      <ellipse cx="380" cy="768" rx="300" ry="34" fill="#000" opacity=".7" />
      <path d="M200 770V210q0-64 64-64h232q64 0 64 64v560z" fill={`url(#${id}-body)`} />
      <path d="M214 770V214q0-54 54-54h224q54 0 54 54v556" fill="none" stroke="#3b332d" strokeWidth="2" />
      <rect x="248" y="186" width="264" height="56" rx="8" fill="#070504" />
      <rect x="240" y="262" width="280" height="190" rx="14" fill="#060403" stroke="#332b26" strokeWidth="2" />
      <path d="M240 276q0-14 14-14h120L262 452h-8q-14 0-14-14z" fill="#fff" opacity=".025" />
      <path d="M333 262v190M427 262v190" stroke="#1c1714" strokeWidth="2" />
      <path d="M188 482h384l20 66H168z" fill="#241e1a" />
      <path d="M188 482h384" stroke="#4a4038" strokeWidth="2" />
      <g fill="#12100e">
        <rect x="222" y="504" width="44" height="22" rx="8" />
        <rect x="276" y="504" width="44" height="22" rx="8" />
        <rect x="330" y="504" width="44" height="22" rx="8" />
        <rect x="384" y="504" width="44" height="22" rx="8" />
        <ellipse cx="506" cy="516" rx="40" ry="15" />
      </g>
      <rect x="250" y="586" width="260" height="140" rx="12" fill="#0c0908" stroke="#2a231f" strokeWidth="2" />
      <path
        d="M200 690C140 690 150 800 90 806s-60 40-120 40"
        stroke="#4a4038"
        strokeWidth="9"
        fill="none"
        strokeLinecap="round"
      />
      <path d="M560 690c70 0 56 112 96 116" stroke="#4a4038" strokeWidth="9" fill="none" strokeLinecap="round" />
      <g transform="translate(664 806) rotate(8)">
        <rect x="0" y="-17" width="42" height="34" rx="8" fill="#6b5f52" />
        <path d="M42-8h18M42 8h18" stroke="#cfc3b2" strokeWidth="6" strokeLinecap="round" />
      </g>
      <circle cx="726" cy="800" r="90" fill={`url(#${id}-lamp)`} />
      <g stroke="#ffc27a" strokeWidth="4" strokeLinecap="round">
        <path d="m738 786 14-8M742 802h16M738 818l14 8" />
      </g>
      <path
        d="M560 420h34V330"
        stroke="#57493d"
        strokeWidth="12"
        fill="none"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="594" cy="312" r="24" fill="#4a3c2a" />
      <circle cx="586" cy="304" r="6" fill="#7d684a" />
      <rect y="640" width="760" height="260" fill={`url(#${id}-fade)`} opacity=".55" />
    </svg>
  );
}
