import AsyncLocation
import CCurl
import FoundationEssentials

/// One transfer of libcurl: sends a request and receives its response within bounds. Used on the
/// thread of its ``TransferLoop`` only.
@safe
final class CurlTransfer {
  // The pointers are constant, this object releases what they point to, and libcurl calls back only
  // while the loop holds it.

  /// The longest headers in bytes, informational responses and trailers included.
  private static let headerLimit = 65_536

  let exchange: HTTPExchange
  /// Nil without memory.
  let handle: UnsafeMutableRawPointer?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var headerCount = 0
  private var response: HTTPResponse?
  /// Why the transfer was ended here.
  private var failure: HTTPFailure?

  init(_ exchange: HTTPExchange) {
    self.exchange = exchange
    unsafe handle = curl_easy_init()
    guard let handle = unsafe handle else { return }
    for line in exchange.headers { unsafe headers = curl_slist_append(headers, line) }
    unsafe _ = ccurl_set_text(handle, CURLOPT_URL, exchange.url)
    unsafe _ = ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    unsafe _ = ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    // Every encoding that libcurl decodes.
    unsafe _ = ccurl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
    unsafe _ = ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    unsafe _ = ccurl_set_size(
      handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(HTTPResponse.bodyLimit))
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe _ = ccurl_set_receivers(
      handle,
      { bytes, size, count, context in
        unsafe CurlTransfer.receive(bytes, size * count, context) { unsafe $0.receiveHeader($1) }
      },
      { bytes, size, count, context in
        unsafe CurlTransfer.receive(bytes, size * count, context) { unsafe $0.receiveBody($1) }
      }, context)
  }

  deinit {
    if let handle = unsafe handle { unsafe curl_easy_cleanup(handle) }
    unsafe curl_slist_free_all(headers)
  }

  /// The transfer ended.
  func end(_ code: CURLcode) {
    if let failure = failure ?? HTTPFailure(code) {
      exchange.resolve(.failure(failure))
    } else if let response {
      exchange.resolve(.success(response))
    } else {
      exchange.resolve(.failure(HTTPFailure.broken))
    }
  }

  /// Gives bytes to the transfer of a context. Returns their number, or 0 to end it.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ body: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return unsafe body(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  /// Receives a line of the headers. Returns false to end the transfer.
  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerCount += line.count
    guard headerCount <= Self.headerLimit else {
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
    guard status != 200 else { return true }
    exchange.resolve(.success(head))
    return false
  }

  /// Receives a part of the body. Returns false to end the transfer.
  private func receiveBody(_ part: UnsafeRawBufferPointer) -> Bool {
    let count = response?.body.count ?? 0
    guard part.count <= HTTPResponse.bodyLimit - count else {
      failure = .tooLong
      return false
    }
    unsafe response?.body.append(contentsOf: part)
    return true
  }

  /// The value of a header of the latest response.
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

extension HTTPFailure {
  /// The failure of a transfer; nil if it succeeded. libcurl's own text is not used: it may contain
  /// the address.
  fileprivate init?(_ code: CURLcode) {
    switch code {
    case CURLE_OK: return nil
    case CURLE_COULDNT_RESOLVE_HOST: self = .unreachable("its name is unknown")
    case CURLE_COULDNT_RESOLVE_PROXY: self = .unreachable("the name of the proxy is unknown")
    case CURLE_COULDNT_CONNECT: self = .unreachable("the connection was refused")
    case CURLE_OPERATION_TIMEDOUT: self = .unreachable("the connection timed out")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR:
      self = .unreachable("the connection cannot be secured")
    case CURLE_FILESIZE_EXCEEDED: self = .tooLong
    default: self = .broken
    }
  }
}
