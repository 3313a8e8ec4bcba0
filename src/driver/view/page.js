/* page.js - shows the data of the page as it is */
'use strict';
document.body.append(JSON.parse(document.getElementById('data').textContent).title);
