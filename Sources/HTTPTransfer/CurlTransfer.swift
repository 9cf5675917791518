import AsyncLocation
import CCurl

/// One transfer of libcurl: sends a request and receives its response within bounds. Must be used
/// only on the queue of its ``TransferLoop``.
@safe
final class CurlTransfer {
  // The pointers do not change after `init`. This object releases the memory to which they point.
  // libcurl calls back only while the loop retains this object.

  /// The maximum size of the headers in bytes, informational responses and trailers included.
  private static let headerLimit = 65_536

  let exchange: HTTPExchange
  /// Nil if out of memory.
  let handle: UnsafeMutableRawPointer?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var headerLength = 0
  private var ignoredLength = 0
  private var response: HTTPResponse?
  /// Whether there was a connection. The request may then have been sent.
  private var wasConnected = false
  /// Why this object made the transfer fail; otherwise nil.
  private var failure: HTTPFailure?

  init(_ exchange: HTTPExchange) {
    self.exchange = exchange
    unsafe handle = curl_easy_init()
    guard let handle = unsafe handle else { return }
    let request = exchange.request
    for line in request.headers { unsafe headers = curl_slist_append(headers, line) }
    if let body = request.body { unsafe setBody(body, of: handle) }
    unsafe _ = ccurl_set_text(handle, CURLOPT_URL, request.url)
    unsafe _ = ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    unsafe _ = ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    unsafe _ = ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    // The headers of a proxy's response are not those of the server.
    unsafe _ = ccurl_set_number(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    if case .body(let limit) = request.answer {
      // Accepts every encoding that libcurl decodes.
      unsafe _ = ccurl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
      unsafe _ = ccurl_set_size(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limit))
    }
    unsafe setSecurity(of: handle)
    unsafe setTimeouts(of: handle)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe _ = ccurl_set_receivers(
      handle,
      { bytes, size, count, context in
        unsafe CurlTransfer.receive(bytes, size * count, context) { unsafe $0.receiveHeader($1) }
      },
      { bytes, size, count, context in
        unsafe CurlTransfer.receive(bytes, size * count, context) { unsafe $0.receiveBody($1) }
      }, context)
    unsafe _ = ccurl_set_gate(
      handle,
      { context, _, _, _, _ in
        guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
        let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.connected() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      }, context)
  }

  deinit {
    if let handle = unsafe handle { unsafe curl_easy_cleanup(handle) }
    unsafe curl_slist_free_all(headers)
  }

  /// Handles the end of the transfer.
  func end(_ code: CURLcode) {
    if case .ignored = exchange.request.answer, let response {
      exchange.resolve(.success(response))
    } else if let failure = failure ?? reason(code) {
      exchange.resolve(.failure(failure))
    } else if let response {
      exchange.resolve(.success(response))
    } else {
      exchange.resolve(.failure(HTTPFailure.broken))
    }
  }

  private func reason(_ code: CURLcode) -> HTTPFailure? {
    let certificate = unsafe handle.map { unsafe ccurl_certificate_result($0) } ?? 0
    return HTTPFailure(code, certificate: certificate, wasConnected: wasConnected)
  }

  /// Handles a connection that was opened or is reused. Returns false to end the transfer before
  /// the request is sent.
  private func connected() -> Bool {
    guard exchange.request.mayLeave?() ?? true else {
      failure = .withheld
      return false
    }
    wasConnected = true
    return true
  }

  /// Passes bytes to the transfer of a context. Returns their number, or 0 to end the transfer.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ handle: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return unsafe handle(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  /// Receives a line of the headers. Returns false to end the transfer.
  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerLength += line.count
    guard headerLength <= Self.headerLimit else {
      failure = .tooLong
      return false
    }
    // An empty line ends the headers of a response.
    let isEnd = unsafe line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    guard isEnd, response == nil, let handle = unsafe handle else { return true }
    let status = unsafe ccurl_status(handle)
    guard status >= 200 else { return true }  // Informational: the response follows.
    let head = HTTPResponse(
      status: status, location: header("Location"), retryAfter: header("Retry-After"),
      date: header("Date"))
    response = head
    switch exchange.request.answer {
    case .ignored: return true
    case .body: if status == 200 { return true }
    }
    // The body of this response is not wanted.
    exchange.resolve(.success(head))
    return false
  }

  /// Receives a part of the body. Returns false to end the transfer.
  private func receiveBody(_ part: UnsafeRawBufferPointer) -> Bool {
    switch exchange.request.answer {
    case .ignored(let limit):
      ignoredLength += part.count
      return ignoredLength <= limit
    case .body(let limit):
      let count = response?.body.count ?? 0
      guard part.count <= limit - count else {
        failure = .tooLong
        return false
      }
      unsafe response?.body.append(contentsOf: part)
      return true
    }
  }

  /// The value of a header of the latest response; nil if it is absent or not UTF-8.
  private func header(_ name: String) -> String? {
    guard let handle = unsafe handle else { return nil }
    var header: UnsafeMutablePointer<curl_header>?
    guard
      unsafe curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
      let value = unsafe header?.pointee.value
    else { return nil }
    return unsafe String(validatingCString: value)
  }
}

// MARK: - Options

extension CurlTransfer {
  private func setBody(_ body: [UInt8], of handle: UnsafeMutableRawPointer) {
    // This line removes the header `Expect`, with which libcurl waits for the server's consent
    // before it sends a long body.
    unsafe headers = curl_slist_append(headers, "Expect:")
    unsafe body.withUnsafeBytes {
      unsafe _ = ccurl_set_body(handle, $0.baseAddress, curl_off_t($0.count))
    }
  }

  private func setSecurity(of handle: UnsafeMutableRawPointer) {
    let tls = exchange.request.tls
    unsafe _ = ccurl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    for (option, file) in [
      (CURLOPT_CAINFO, tls.authorityFile), (CURLOPT_SSLCERT, tls.certificateFile),
      (CURLOPT_SSLKEY, tls.keyFile),
    ] {
      if let file { unsafe _ = ccurl_set_text(handle, option, file) }
    }
    guard let (user, password) = exchange.request.credentials else { return }
    unsafe _ = ccurl_set_number(handle, CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC
    unsafe _ = ccurl_set_text(handle, CURLOPT_USERNAME, user)
    unsafe _ = ccurl_set_text(handle, CURLOPT_PASSWORD, password)
  }

  private func setTimeouts(of handle: UnsafeMutableRawPointer) {
    for (option, timeout) in [
      (CURLOPT_CONNECTTIMEOUT_MS, exchange.request.connectTimeout),
      (CURLOPT_TIMEOUT_MS, exchange.request.timeout),
    ] {
      guard let timeout else { continue }
      // Zero would select libcurl's default. The maximum of libcurl is about 24 days.
      let milliseconds = min(max(ExactSeconds.number(timeout) * 1000, 1), 2_000_000_000)
      unsafe _ = ccurl_set_number(handle, option, Int(milliseconds))
    }
  }
}
