/// Queries as people write them. Each line begins with the country of the intended places, and
/// their division if that matters; an indented line continues the previous one.
enum ForwardQueries {
  /// Names alone, in English, in the language of the place, and in others.
  static let names = #"""
    AE: Dubai; Abu Dhabi
    AF: Kabul
    AL: Tirana
    AM: Yerevan
    AO: Luanda
    AR: Buenos Aires; Cordoba
    AT: Vienna; Salzburg; Graz; Innsbruck; Linz; Wien
    AU: Sydney; Melbourne; Perth; Brisbane; Adelaide; Canberra
    AZ: Baku
    BA: Sarajevo
    BD: Dhaka
    BE: Brussels; Antwerp; Ghent; Bruges; Brugge; Liège; Lüttich; Antwerpen; Bruxelles; Gent
    BG: Sofia
    BO: La Paz
    BR: Rio de Janeiro; Sao Paulo; Brasilia; Brasília; Salvador; Recife
    BY: Minsk
    CA: Toronto; Montreal; Vancouver; Ottawa; Calgary; Québec; Quebec City
    CD: Kinshasa
    CH: Geneva; Genf; Zurich; Basel; Bern; Berne; Lausanne; Lucerne; Luzern
    CI: Abidjan
    CL: Santiago
    CN: Beijing; Peking; Shanghai; Canton; Guangzhou; Shenzhen; Nanking; Tientsin; 北京
    CO: Bogota; Medellín; Cali
    CU: Havana
    CY: Nicosia
    CZ: Prague; Praha; Prag
    DE: Cologne; Munich; Hamburg; Frankfurt; Nuremberg; Hanover; Brunswick; Aix-la-Chapelle;
      Munchen; Muenchen; Koeln; Köln; Düsseldorf; Dusseldorf; Stuttgart; Leipzig; Dresden;
      Freiburg; Halle; Essen
    DK: Copenhagen; København; Kopenhagen; Aarhus; Århus
    DZ: Algiers
    EC: Quito; Guayaquil
    EE: Tallinn
    EG: Cairo; Alexandria; القاهرة
    ES: Seville; Sevilla; Barcelona; Valencia; Granada; Malaga; Bilbao; Saragossa; Zaragoza;
      Toledo; Málaga; Corunna
    ET: Addis Ababa
    FI: Helsinki; Helsingfors; Turku
    FR: Paris; Lyon; Marseille; Nice; Bordeaux; Toulouse; Strasbourg; Straßburg; Lille;
      Nantes; Nizza
    GB: London; Birmingham; Manchester; Liverpool; Edinburgh; Glasgow; Cardiff; Belfast;
      Cambridge; Oxford; York; Newcastle; Bristol; Leeds
    GE: Tbilisi
    GH: Accra
    GR: Athens; Thessaloniki; Αθήνα
    HK: Hong Kong
    HR: Zagreb
    HU: Budapest
    ID: Jakarta
    IE: Dublin; Cork; Galway
    IL: Jerusalem; Tel Aviv; תל אביב
    IN: Delhi; Mumbai; Bombay; Calcutta; Kolkata; Madras; Hyderabad; Bangalore; Bengaluru;
      Pune; Jaipur; Chennai
    IQ: Baghdad
    IR: Tehran; Isfahan
    IT: Roma; Florence; Naples; Venice; Turin; Milano; Napoli; Firenze; Venezia; Torino;
      Genoa; Genova; Mailand; Rom; Florenz; Neapel; Venedig; Bologna; Verona; Padua; Palermo
    JO: Amman
    JP: Tokyo; Osaka; Kyoto; Nagoya; Sapporo; 東京
    KE: Nairobi
    KH: Phnom Penh
    KP: Pyongyang
    KR: Seoul; Busan; 서울
    KW: Kuwait City
    KZ: Almaty; Astana
    LA: Vientiane
    LB: Beirut
    LK: Colombo
    LT: Vilnius; Wilna
    LV: Riga
    LY: Tripoli
    MA: Casablanca; Marrakesh; Marrakech; Rabat; Fez
    ME: Podgorica
    MG: Antananarivo
    MK: Skopje
    MM: Rangoon; Yangon; Mandalay
    MN: Ulaanbaatar
    MT: Valletta
    MX: Mexico City; Guadalajara; Monterrey
    MY: Kuala Lumpur
    MZ: Maputo
    NG: Lagos
    NL: The Hague; Den Haag; Rotterdam; Leiden; Utrecht; Eindhoven
    NO: Oslo; Bergen; Trondheim
    NP: Kathmandu
    NZ: Auckland; Wellington; Christchurch
    OM: Muscat
    PE: Lima
    PH: Manila
    PK: Karachi; Lahore; Islamabad
    PL: Warsaw; Warszawa; Krakow; Warschau; Krakau; Breslau; Danzig; Gdańsk; Wrocław; Łódź
    PT: Lisbon; Lisboa; Porto; Lissabon
    PY: Asuncion; Asunción
    QA: Doha
    RO: Bucharest
    RS: Belgrade
    RU: Moscow; Moskva; St Petersburg; Saint Petersburg; Москва
    SA: Riyadh; Mecca; Medina
    SD: Khartoum
    SE: Gothenburg; Göteborg; Stockholm; Malmö; Malmo
    SG: Singapore
    SI: Ljubljana
    SK: Bratislava
    SN: Dakar
    SY: Damascus; Aleppo
    TH: Bangkok
    TN: Tunis
    TR: Istanbul; Ankara; Izmir
    TW: Taipei
    UA: Odessa; Kiev; Kyiv; Lviv; Lemberg; Lwów; Kharkiv; Odesa; Київ
    UG: Kampala
    US: New York; Los Angeles; Chicago; Boston; San Francisco; Washington; Philadelphia;
      Houston; Dallas; Miami; Seattle; Denver; Atlanta; Phoenix; Detroit; New Orleans; Las
      Vegas; Honolulu; Syracuse
    UY: Montevideo
    UZ: Tashkent; Samarkand
    VE: Caracas
    VN: Saigon; Hanoi; Ho Chi Minh City
    YE: Sanaa
    ZA: Cape Town; Kapstadt; Johannesburg; Durban; Pretoria
    ZM: Lusaka
    ZW: Harare
    """#

  /// Names followed by the areas that contain the place, after commas.
  static let qualified = #"""
    AE: Dubai, UAE
    AR: Córdoba, Argentina
    AT: Wien, Österreich
    AU: Sydney, NSW; Newcastle, Australia
    AU New South Wales: Newcastle, NSW
    AU Victoria: Richmond, VIC
    AU Western Australia: Perth, WA
    BE: Brussels, Belgium
    BE Flanders: Gent, Vlaanderen
    BR: São Paulo, SP; São Paulo, Brasil
    BR Bahia: Salvador, BA
    BR Mato Grosso do Sul: Campo Grande, MS
    BR Rio de Janeiro: Rio de Janeiro, RJ
    CA: Toronto, ON; Vancouver, BC; Vancouver, Canada
    CA British Columbia: Richmond, BC
    CA Ontario: Paris, Ontario; London, ON; London, Ontario, Canada; Hamilton, ON; Cambridge,
      Ontario
    CD: Kinshasa, DR Congo
    CH: Zürich, Schweiz; Genève, Suisse; Lugano, Svizzera
    CH Ticino: Lugano, Ticino
    CI: Abidjan, Ivory Coast
    CL: Santiago, Chile
    CN: Beijing, 中国
    CZ: Prague, Czech Republic; Praha, Česko; Brno, Czechia
    DE: Munich, BY; Berlin, Deutschland; Halle, Saxony-Anhalt; Freiburg, Baden-Württemberg;
      Köln, Germany; Cologne, Germany; Munich, Germany
    DE Bavaria: Nürnberg, BY; Nürnberg, Bayern; Neustadt, Bavaria
    DE Berlin: Kreuzberg, Berlin
    DE Brandenburg: Frankfurt, Brandenburg
    DE Hamburg: Altona, Hamburg
    DE Hesse: Frankfurt, Hessen; Frankfurt, HE
    DE North Rhine-Westphalia: Mülheim, NRW
    DE Saxony-Anhalt: Halle, Sachsen-Anhalt; Halle, ST
    DK: København, Danmark
    EG: Alexandria, Egypt
    ES: Madrid, España; Barcelona, Spain; Valencia, España; Guadalajara, Spain
    ES Andalusia: Sevilla, Andalucía; Córdoba, Spain
    ES Catalonia: Barcelona, Catalunya
    ES Galicia: Santiago de Compostela, Galicia
    FI: Helsinki, Suomi
    FR: Paris, France; Montmartre, Paris; Paris, Ile-de-France; Marseille, PACA
    FR Brittany: Rennes, Bretagne; Rennes, Brittany
    GB: London, England; Notting Hill, London; Chelsea, London
    GB England: London, UK; London, Great Britain; Birmingham, England; Cambridge, England;
      Wimbledon, London, England
    GB Scotland: Hamilton, Scotland; Perth, Scotland
    GR: Athens, Greece
    HU: Budapest, Magyarország
    IN: Hyderabad, India; Delhi, India
    IN Karnataka: Bengaluru, KA
    IN Maharashtra: Mumbai, MH
    IN Telangana: Hyderabad, Telangana
    IR: Tehran, Iran
    IT: Turin, Italy; Roma, Italia; Rome, Italy
    IT Apulia: Bari, Puglia
    IT Lombardy: Milano, Lombardia
    IT Tuscany: Firenze, Toscana
    JP: Tokyo, 日本
    KE: Nairobi, Kenya
    KR: Seoul, South Korea; Busan, South Korea
    LA: Vientiane, Laos
    LB: Tripoli, Lebanon
    LY: Tripoli, Libya
    MM: Yangon, Burma
    MX: Mérida, Mexico; León, México
    MX Jalisco: Guadalajara, JAL
    NL: Amsterdam, Netherlands; Utrecht, Nederland; Amsterdam, Holland; Amsterdam, The
      Netherlands
    NL South Holland: Rotterdam, Zuid-Holland
    NO: Oslo, Norge
    NZ: Hamilton, New Zealand
    PK: Hyderabad, Pakistan
    PL: Warszawa, Polska
    RO: Bucuresti, Romania
    RU: Moscow, Russia; Saint Petersburg, Russia
    SE: Gothenburg, Sweden; Göteborg, Sverige
    SY: Damascus, Syria
    TR: Istanbul, Turkey; Izmir, Türkiye
    US: Springfield, IL; Cambridge, Massachusetts; Portland, Oregon; Birmingham, Alabama;
      Washington, D.C.; Chelsea, Manhattan
    US Alabama: Birmingham, AL
    US Florida: Melbourne, FL; Naples, FL; St. Petersburg, FL
    US Georgia: Athens, Georgia; Athens, GA; Rome, GA
    US Idaho: Moscow, ID
    US Illinois: Springfield, Illinois, USA
    US Kansas: Kansas City, KS
    US Kentucky: London, KY
    US Maine: Portland, ME; Portland, Maine
    US Massachusetts: Cambridge, MA
    US Missouri: Springfield, Missouri
    US New York: New York, NY; Brooklyn, New York; Harlem, New York City
    US Oregon: Portland, OR
    US Texas: Paris, Texas
    US Virginia: Richmond, VA; Alexandria, Virginia
    US Washington: Vancouver, WA
    VE: Barcelona, Venezuela; Valencia, Venezuela; Mérida, Venezuela
    VN: Hanoi, Vietnam
    ZA: Cape Town, South Africa
    ZA KwaZulu-Natal: Durban, KZN
    """#

  /// Names followed by the areas that contain the place, without commas.
  static let unpunctuated = #"""
    AU: Sydney Australia
    CA Ontario: London Ontario
    DE: Munich Germany
    GR: Athens Greece
    US: Paris TX; Portland Maine; Washington DC
    US Alabama: Birmingham Alabama
    US Illinois: Springfield IL
    US Massachusetts: Springfield MA; Cambridge Massachusetts
    US Missouri: Kansas City MO
    US Ohio: Columbus OH
    US Oregon: Portland Oregon
    """#
}
