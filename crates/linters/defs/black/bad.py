def greet( name,greeting='hello' ):
    return {'greeting':greeting, 'name':name, 'language': 'en'}
