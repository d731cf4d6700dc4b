// Reads a ZIP with one of the readers of package.json, and prints the name and the SHA-256 of
// each file in it.
// Usage: node unzip.mjs READER FILE
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const [reader, file] = process.argv.slice(2);
const print = (name, content) => console.log(name, createHash("sha256").update(content).digest("hex"));

const readers = {
  async "adm-zip"() {
    const { default: Zip } = await import("adm-zip");
    for (const entry of new Zip(file).getEntries()) print(entry.entryName, entry.getData());
  },

  async fflate() {
    const { unzipSync } = await import("fflate");
    for (const [name, content] of Object.entries(unzipSync(await readFile(file)))) print(name, content);
  },

  async jszip() {
    const { default: Zip } = await import("jszip");
    const zip = await Zip.loadAsync(await readFile(file), { checkCRC32: true });
    for (const entry of Object.values(zip.files)) if (!entry.dir) print(entry.name, await entry.async("uint8array"));
  },

  async yauzl() {
    const { default: yauzl } = await import("yauzl");
    const zip = await promisify(yauzl.open)(file, { lazyEntries: true, strictFileNames: true });
    const open = promisify(zip.openReadStream.bind(zip));
    zip.on("entry", async (entry) => {
      print(entry.fileName, Buffer.concat(await (await open(entry)).toArray()));
      zip.readEntry();
    });
    zip.readEntry();
  },

  async "@zip.js/zip.js"() {
    const { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, configure } = await import("@zip.js/zip.js");
    configure({ useWebWorkers: false });
    const zip = new ZipReader(new Uint8ArrayReader(await readFile(file)), { checkSignature: true });
    for (const entry of await zip.getEntries()) print(entry.filename, await entry.getData(new Uint8ArrayWriter()));
  },
};

await readers[reader]();
