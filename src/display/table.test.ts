import { expect, it } from "vitest";
import { type Column, table } from "./table.ts";

interface Row {
  name: string;
  count: number;
  text: string;
}

const columns: Column<Row>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "COUNT", text: ({ count }) => String(count), align: "right" },
  { title: "TEXT", text: ({ text }) => text, paint: (_row, text) => `<${text}>` },
];

it("aligns every column, wide characters included", () => {
  const rows = [
    { name: "a", count: 5, text: "one" },
    { name: "日本語", count: 12_345_678, text: "two" },
  ];
  expect(table(rows, columns, 80)).toEqual([
    "NAME       COUNT  TEXT",
    "a              5  <one>",
    "日本語  12345678  <two>",
  ]);
});

it("cuts the last column to the width of the terminal", () => {
  const [, line = ""] = table([{ name: "a", count: 1, text: "x".repeat(100) }], columns, 40);
  expect(line).toBe(`a         1  <${"x".repeat(26)}…>`);
});
