import AsyncLocation
package import FoundationEssentials

/// A server, as the scheme, host and port of an address.
package struct HTTPOrigin: Sendable, Hashable {
  package let scheme: String
  package let host: String
  package let port: Int

  /// The origin of an address; nil unless it is a valid HTTP or HTTPS address without user and
  /// password.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
      !host.isEmpty, url.user(percentEncoded: true) == nil,
      url.password(percentEncoded: true) == nil
    else { return nil }
    switch scheme {
    case "http": port = url.port ?? 80
    case "https": port = url.port ?? 443
    default: return nil
    }
    guard (1...65_535).contains(port) else { return nil }
    (self.scheme, self.host) = (scheme, host.lowercased())
  }

  /// The host, and the port unless it is the scheme's default; for messages.
  package var name: String {
    let isStandard = port == (scheme == "https" ? 443 : 80)
    let host = String(printable: host)
    return (host.contains(":") ? "[\(host)]" : host) + (isStandard ? "" : ":\(port)")
  }
}
