package import AsyncLocation

extension MQTTConfiguration {
  /// Reads the files and the environment as a connection does, for programs that report errors
  /// before they start. Blocks.
  ///
  /// - Throws: ``LocationError`` with `invalidValue`; the message names the file or the variable.
  package func checkFiles() throws(LocationError) {
    if let credentials { _ = try CredentialReader.read(credentials) }
    if let tls { _ = try TransportSecurity(tls, host: host) }
  }
}

extension MQTTConfiguration.TLS {
  private static let authorities = "The authorities' certificates"
  private static let certificate = "The client's certificate"
  private static let key = "The client's key"

  /// Checks that each file can be read, and that the key is private and not encrypted. OpenSSL does
  /// not check or report this. It would request the passphrase of an encrypted key in the terminal.
  func checkAccess() throws(LocationError) {
    for (path, content) in [
      (authorityFile, Self.authorities), (certificateFile, Self.certificate),
    ] {
      if let path { _ = try ConfigurationFile(path, content: content) }
    }
    guard let keyFile else { return }
    let file = try ConfigurationFile(keyFile, content: Self.key)
    try file.requirePrivacy()
    let text = String(decoding: try file.read(limit: 65_536), as: UTF8.self)
    // PKCS #8 has this word in its first line, the older format in its header.
    guard !text.contains("ENCRYPTED") else {
      throw file.unreadable("it is encrypted; decrypt it with 'openssl pkey'")
    }
  }

  /// The file that OpenSSL could not use, according to the shim's text; nil if the text names none
  /// of the files.
  func file(in reason: String) -> String? {
    [
      (authorityFile, Self.authorities), (certificateFile, Self.certificate), (keyFile, Self.key),
    ].first { reason.hasPrefix($0.1.lowercasedFirst) }?.0
  }
}
