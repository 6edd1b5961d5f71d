import { Lamp } from "@longarm/ui/lamp.tsx";
import css from "./bare-lamp.module.css";
import type { lampOf } from "./lamp-of.ts";

/** A lamp without its word, which is there for readers and under the pointer. */
export function BareLamp({ status, word }: { readonly status: ReturnType<typeof lampOf>[0]; readonly word: string }) {
  return (
    <Lamp status={status} className={css["bare"] ?? ""}>
      <span className="visually-hidden">{word}</span>
    </Lamp>
  );
}
