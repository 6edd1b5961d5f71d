import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import type { ComponentProps, CSSProperties } from "react";
import { CodeSample, Trail } from "./samples.tsx";
import css from "./typography-page.module.css";

const display = { fontWeight: 640, fontStretch: "var(--display)", lineHeight: 1.15 } as const;

/** The type scale by the names that type scales usually have. Without a source its style is written out. */
const SAMPLES: readonly { readonly name: string; readonly style: CSSProperties; readonly source?: string }[] = [
  { name: "Display 4", style: { ...display, fontSize: "var(--t-hero)", fontStretch: "var(--wide)" } },
  { name: "Display 3", style: { ...display, fontSize: "var(--t-hero)", fontStretch: "var(--meter)" } },
  { name: "Display 2", style: { ...display, fontSize: "var(--t-h1)", fontStretch: "var(--wide)" } },
  { name: "Display 1", style: { ...display, fontSize: "var(--t-h1)" }, source: "<h1>Display 1</h1>" },
  { name: "Headline", style: { ...display, fontSize: "var(--t-h2)" }, source: "<h2>Headline</h2>" },
  { name: "Title", style: { ...display, fontSize: "var(--t-h3)" }, source: "<h3>Title</h3>" },
  { name: "Subheading", style: { fontSize: "var(--t-lead)" } },
  { name: "Body 2", style: { fontSize: "var(--t-body)", fontWeight: 580 } },
  { name: "Body 1", style: { fontSize: "var(--t-body)" }, source: "<p>Body 1</p>" },
  { name: "Caption", style: { fontSize: "var(--t-small)", color: "var(--ink-3)" } },
];
const CLIPPED: CSSProperties = { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" };

/** From Display 4 to Button: each as it looks, and what is written for it. */
export function TypographyPage({ title }: { readonly title: string }) {
  const { t } = useText();
  return (
    <div className={css["page"]}>
      <Trail here={title} reference="type" />
      <dl className={css["samples"]}>
        {SAMPLES.map(({ name, style, source }) => (
          <Sample key={name} name={name} code={source ?? written(style)} style={style}>
            <bdi lang="en">{name}</bdi>
          </Sample>
        ))}
        <Sample name={t("gallery.oneLine")} code={written(CLIPPED)} style={CLIPPED}>
          {t("gallery.clipped")}
        </Sample>
        <Sample name={t("gallery.plate")} code={`<p className="plate">…</p>`} className="plate">
          {t("gallery.plate")}
        </Sample>
        <Sample name={t("gallery.money")} code="<Money minor={1_245_075} />">
          <Money minor={1_245_075} className={css["money"] ?? ""} />
        </Sample>
        <Sample name="Button" code="<Key>Button</Key>">
          <Key>Button</Key>
        </Sample>
      </dl>
    </div>
  );
}

type SampleProps = ComponentProps<"dt"> & { readonly name: string; readonly code: string };

function Sample({ name, code, ...look }: SampleProps) {
  return (
    <div>
      <dt {...look} />
      <dd>
        <CodeSample name={name} code={code} />
      </dd>
    </div>
  );
}

/** A style as a style sheet has it. */
const written = (style: CSSProperties): string =>
  Object.entries(style)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value};`)
    .join("\n");
