/// The style sheet of pictures of several tracks. Pure.
///
/// On a light background, the colors are those of M. Okabe and K. Ito, which people with color
/// blindness can distinguish; on a dark background, lighter colors of the same hues.
enum TracksStyle {
  /// The SHA-256 of ``page`` in Base64. A test verifies it.
  static let pageHash = "K/FLqmGCSyieDz9wFiYIwOUq688mSoEBKdmQ8upj5SU="

  static let light = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4c9a",
  ]
  static let dark = [
    "#4ba3dd", "#ff8a3d", "#2cc79a", "#e5a0c6", "#f5bd3e", "#8fd0f5", "#a58bd0",
  ]

  static let text = extended(PictureStyle.text)
  static let page = extended(PageStyle.text)

  private static func extended(_ text: String) -> String {
    """
    \(text)
    \(colors(light))
    .casing{stroke:#fff}.swatch,.here{stroke-width:2}
    @media (prefers-color-scheme:dark){
    \(colors(dark))
    .casing{stroke:#010409}
    }
    """
  }

  private static func colors(_ sequence: [String]) -> String {
    PictureStyle.colors(sequence) + "\n"
      + sequence.enumerated().map { index, color in
        ".here.k\(index){fill:\(color);stroke:#fff}"
      }.joined(separator: "\n")
  }
}
