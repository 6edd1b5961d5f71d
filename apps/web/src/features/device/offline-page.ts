import { deviceWords } from "./device-texts.ts";
import type { OfflineNote } from "./note.ts";

/** The policy of the page below: it runs nothing and loads nothing. */
export const OFFLINE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const OUR_NAME = "Longarm";

/** The page in the place of any other while the platform cannot be reached, whole in one text: nothing of the casino comes from a cache. */
export function offlinePage({ language, name = OUR_NAME, helpline, seat }: OfflineNote): string {
  const { t } = deviceWords(language);
  const time = seat && new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(seat.at);
  const last = seat
    ? `<div class="last"><small>${escaped(t("device.lastKnown", { time: time ?? "" }))}</small><b>${filledWith(t("device.satAt"), "machine", seat.machine)}</b></div>`
    : "";
  const call = helpline
    ? `<a class="bare" href="tel:${escaped(helpline.replace(/[^+\d]/g, ""))}">${PHONE}<span>${filledWith(t("device.call"), "phone", helpline)}</span></a>`
    : "";
  return `<!doctype html>
<html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="theme-color" content="#100d0b"><title>${escaped(name)}</title><style>${STYLE}</style>
</head>
<body>
<main>
${ART}
<div class="text">${name === OUR_NAME ? MARK : `<b class="name">${escaped(name)}</b>`}
<p class="led">${escaped(t("device.offline"))}</p><h1>${escaped(t("device.offlineTitle"))}</h1><p>${escaped(t("device.offlineBody"))}</p>${last}
<p class="acts"><a class="key" href="">${escaped(t("device.tryAgain"))}</a>${call}</p></div>
</main>
</body>
</html>`;
}

/** A text with one foreign word in it, which keeps its own direction. */
const filledWith = (text: string, name: string, word: string): string =>
  escaped(text).replace(`{${name}}`, () => `<bdi>${escaped(word)}</bdi>`);

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const STYLE = `
:root{color-scheme:dark;background:#100d0b;color:#f5efe6;font:400 1.0625rem/1.5 "Archivo Variable",Archivo,system-ui,sans-serif}
*{box-sizing:border-box;margin:0}
main{position:relative;min-block-size:100vh;min-block-size:100dvh;display:grid;align-items:center;overflow:hidden;background:#090706}
.text{position:relative;display:grid;justify-items:start;gap:1.25rem;inline-size:min(31rem,44vw);margin-inline-start:max(1.5rem,8vw);padding-block:2rem}
.art{position:absolute;inset-block:0;inset-inline-end:0;block-size:100%;inline-size:52%}
.name{margin-block-end:1.5rem;font-size:1.75rem;font-weight:620;font-stretch:125%}
.mark{block-size:2.5rem;inline-size:auto;margin-block-end:1.5rem}
h1{font-size:clamp(1.75rem,4.2vw,2.9rem);line-height:1.15;font-weight:620;font-stretch:112%;text-wrap:balance}
p{color:#cfc6bb}
.led{display:flex;align-items:center;gap:.5rem;font-size:.875rem}
.led::before{content:"";inline-size:.625rem;block-size:.625rem;border:2px solid #b9aea2;border-radius:50%}
.last{padding-inline-start:1.25rem;border-inline-start:2px solid #6b5f52}
.last small{display:block;font-size:.9375rem;color:#cfc6bb}
.last b{font-size:1.5rem;font-weight:620}
.acts{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:center}
a{display:inline-flex;align-items:center;gap:.625rem;min-block-size:3.5rem;padding-inline:1.75rem;border-radius:.75rem;color:#f5efe6;font-weight:620;text-decoration:none}
.key{background:#2f2723;box-shadow:inset 0 0 0 1px #4a4038}
.bare{padding-inline:.75rem}
a:focus-visible{outline:2px solid #f5efe6;outline-offset:3px}
.bare svg{inline-size:1.25rem;fill:none;stroke:currentColor;stroke-width:1.75}
@media (max-width:46rem) and (orientation:portrait){main{align-items:end}.text{inline-size:auto;margin-inline:1.25rem;padding-block:0 12vh;gap:1rem}.art{inset-block:0 auto;inset-inline:0;inline-size:100%;block-size:46%;mask-image:linear-gradient(#000 45%,transparent 82%)}.mark{margin-block-end:1rem}}
@media (max-height:30rem){.text{gap:.625rem;padding-block:1rem}.mark,.name{display:none}h1{font-size:1.625rem}p{font-size:.9375rem;line-height:1.4}.last b{font-size:1.125rem}a{min-block-size:2.75rem}}
`;

const PHONE = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6.5 4h3L11 8 9 9.5c1 2.4 3.1 4.5 5.5 5.5l1.5-2 4 1.5v3a2.5 2.5 0 0 1-2.7 2.5C10.4 18.9 5.1 13.6 4 6.7A2.5 2.5 0 0 1 6.5 4z"/></svg>`;

/** The word mark (`@longarm/ui/logo.tsx`), at rest. */
const MARK = `<svg class="mark" viewBox="0 0 382 106" role="img" aria-label="Longarm"><g fill="none" stroke="#f5efe6" stroke-width="10"><path d="M12 74h38" stroke-width="12" stroke-linecap="round"/><path d="M122 80V36M122 58a17 17 0 0 1 34 0v22M209 36v47a16 16 0 0 1-16 16h-14M263 36v44M286 80V36M286 58a17 17 0 0 1 19-16.9M318 80V36M318 55a14 14 0 0 1 28 0v25M346 55a14 14 0 0 1 28 0v25"/><circle cx="84" cy="58" r="17"/><circle cx="192" cy="58" r="17"/><circle cx="246" cy="58" r="17"/><path d="M16 74V18"/></g><circle cx="16" cy="15" r="13" fill="#e9c070"/></svg>`;

/** A machine that lost its line: our own drawing, as on the page without WebRTC. */
const ART = `<svg class="art" viewBox="0 0 760 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
<defs>
<linearGradient id="body" x2="1"><stop offset="0" stop-color="#0d0a09"/><stop offset=".08" stop-color="#3a322c"/><stop offset=".14" stop-color="#191512"/><stop offset=".86" stop-color="#191512"/><stop offset=".92" stop-color="#3a322c"/><stop offset="1" stop-color="#0d0a09"/></linearGradient>
<radialGradient id="lamp"><stop offset="0" stop-color="#ffc27a" stop-opacity=".42"/><stop offset=".35" stop-color="#ffc27a" stop-opacity=".13"/><stop offset="1" stop-color="#ffc27a" stop-opacity="0"/></radialGradient>
<linearGradient id="fade" x2="0" y2="1"><stop offset="0" stop-color="#090706" stop-opacity="0"/><stop offset="1" stop-color="#090706"/></linearGradient>
</defs>
<ellipse cx="380" cy="768" rx="300" ry="34" fill="#000" opacity=".7"/>
<path d="M200 770V210q0-64 64-64h232q64 0 64 64v560z" fill="url(#body)"/>
<path d="M214 770V214q0-54 54-54h224q54 0 54 54v556" fill="none" stroke="#3b332d" stroke-width="2"/>
<rect x="248" y="186" width="264" height="56" rx="8" fill="#070504"/>
<rect x="240" y="262" width="280" height="190" rx="14" fill="#060403" stroke="#332b26" stroke-width="2"/>
<path d="M240 276q0-14 14-14h120L262 452h-8q-14 0-14-14z" fill="#fff" opacity=".025"/>
<path d="M333 262v190M427 262v190" stroke="#1c1714" stroke-width="2"/>
<path d="M188 482h384l20 66H168z" fill="#241e1a"/><path d="M188 482h384" stroke="#4a4038" stroke-width="2"/>
<g fill="#12100e"><rect x="222" y="504" width="44" height="22" rx="8"/><rect x="276" y="504" width="44" height="22" rx="8"/><rect x="330" y="504" width="44" height="22" rx="8"/><rect x="384" y="504" width="44" height="22" rx="8"/><ellipse cx="506" cy="516" rx="40" ry="15"/></g>
<rect x="250" y="586" width="260" height="140" rx="12" fill="#0c0908" stroke="#2a231f" stroke-width="2"/>
<path d="M200 690C140 690 150 800 90 806s-60 40-120 40" stroke="#4a4038" stroke-width="9" fill="none" stroke-linecap="round"/>
<path d="M560 690c70 0 56 112 96 116" stroke="#4a4038" stroke-width="9" fill="none" stroke-linecap="round"/><g transform="translate(664 806) rotate(8)"><rect x="0" y="-17" width="42" height="34" rx="8" fill="#6b5f52"/><path d="M42-8h18M42 8h18" stroke="#cfc3b2" stroke-width="6" stroke-linecap="round"/></g>
<circle cx="726" cy="800" r="90" fill="url(#lamp)"/><g stroke="#ffc27a" stroke-width="4" stroke-linecap="round"><path d="m738 786 14-8M742 802h16M738 818l14 8"/></g>
<path d="M560 420h34V330" stroke="#57493d" stroke-width="12" fill="none" stroke-linecap="round" stroke-linejoin="round"/><circle cx="594" cy="312" r="24" fill="#4a3c2a"/><circle cx="586" cy="304" r="6" fill="#7d684a"/>
<rect y="640" width="760" height="260" fill="url(#fade)" opacity=".55"/>
</svg>`;
