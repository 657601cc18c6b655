'use strict';
// JSON-RPC to a node on loopback: client(PORT, USER, PASSWORD) gives a function (METHOD, PARAMS) -> promise of the result.
const http = require('http');

exports.client = (port, user, pass) => (method, params = []) => new Promise((resolve, reject) => {
  const body = JSON.stringify({method, params, id: 1});
  const headers = {'content-type': 'application/json', 'content-length': body.length};
  const request = http.request({host: '127.0.0.1', port, method: 'POST', auth: user + ':' + pass, headers}, response => {
    let text = '';
    response.on('data', data => text += data);
    response.on('end', () => {
      const reply = JSON.parse(text);
      if (reply.error)
        reject(new Error(JSON.stringify(reply.error)));
      else
        resolve(reply.result);
    });
  });
  request.on('error', reject);
  request.end(body);
});
